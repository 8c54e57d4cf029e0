-- Groups that share places: beside its own max_running, a group may count against another one's.
-- Without it, each of many groups may be small, and all of them together still take every place.
ALTER TABLE engine.groups ADD COLUMN shares text;
ALTER TABLE engine.groups ADD CONSTRAINT group_shares FOREIGN KEY (shares)
    REFERENCES engine.groups (name);

COMMENT ON COLUMN engine.groups.shares IS
    'the group whose max_running bounds all groups that name it, together; null for most';

CREATE INDEX groups_sharing ON engine.groups (shares) WHERE shares IS NOT NULL;
