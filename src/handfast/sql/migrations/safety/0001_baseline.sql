-- Safety: what operators decide about reports, and what people say against it. The reports themselves
-- are in handfast_people.reports, which offers read.
--
--   handfast_safety.enforcement_actions  decisions, each with an id that an appeal names
--   handfast_safety.appeals              one for each action, decided once
--   handfast_safety.restraints           who is paused until somebody has decided, and why
--   handfast_safety.notes                what operators have written down about a report
--
-- No foreign keys to people: a decision outlives those whom it is about.
-- Lock order: whoever reports (by reporter, then by subject), the account, the report, the profile,
-- what hooks lock, events.

CREATE SCHEMA handfast_safety;

COMMENT ON SCHEMA handfast_safety IS 'Handfast: decisions about reports, appeals';

CREATE TABLE handfast_safety.enforcement_actions (
    id             uuid NOT NULL,
    user_id        uuid NOT NULL,
    report_id      uuid,
    decided_at     timestamptz NOT NULL,
    until          timestamptz,
    reversed_at    timestamptz,
    decision       text NOT NULL,
    decided_by     text NOT NULL,
    note           text,
    CONSTRAINT enforcement_actions_pkey PRIMARY KEY (id),
    CONSTRAINT action_decision CHECK (decision IN ('warn', 'remove', 'suspend', 'ban', 'dismiss')),
    CONSTRAINT action_until CHECK (until IS NULL OR decision = 'suspend'),
    CONSTRAINT action_note_length CHECK (length(note) <= 2000)
);

CREATE UNIQUE INDEX action_of_report ON handfast_safety.enforcement_actions (report_id)
    WHERE report_id IS NOT NULL;
CREATE INDEX actions_of ON handfast_safety.enforcement_actions (user_id, decided_at);

CREATE TABLE handfast_safety.appeals (
    id             uuid NOT NULL,
    action_id      uuid NOT NULL,
    user_id        uuid NOT NULL,
    created_at     timestamptz NOT NULL,
    decided_at     timestamptz,
    outcome        text,
    decided_by     text,
    reason         text NOT NULL,
    note           text,
    CONSTRAINT appeals_pkey PRIMARY KEY (id),
    CONSTRAINT appeal_once UNIQUE (action_id),
    CONSTRAINT appeal_action FOREIGN KEY (action_id)
        REFERENCES handfast_safety.enforcement_actions (id),
    CONSTRAINT appeal_outcome CHECK (outcome IN ('upheld', 'overturned')),
    CONSTRAINT appeal_decided CHECK ((decided_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT appeal_reason_length CHECK (length(reason) BETWEEN 1 AND 2000),
    CONSTRAINT appeal_note_length CHECK (length(note) <= 2000)
);

CREATE INDEX appeals_open ON handfast_safety.appeals (created_at) WHERE decided_at IS NULL;
CREATE INDEX appeals_of ON handfast_safety.appeals (user_id);

CREATE TABLE handfast_safety.restraints (
    user_id        uuid NOT NULL,
    restrained_at  timestamptz NOT NULL,
    lifted_at      timestamptz,
    reporters      integer NOT NULL,
    hours          integer NOT NULL,
    CONSTRAINT restraints_pkey PRIMARY KEY (user_id, restrained_at)
);

COMMENT ON TABLE handfast_safety.restraints IS
    'so many different people reported somebody within so many hours';

CREATE UNIQUE INDEX restraint_open ON handfast_safety.restraints (user_id) WHERE lifted_at IS NULL;

CREATE TABLE handfast_safety.notes (
    id             uuid NOT NULL,
    report_id      uuid NOT NULL,
    written_at     timestamptz NOT NULL,
    written_by     text NOT NULL,
    note           text NOT NULL,
    CONSTRAINT notes_pkey PRIMARY KEY (id),
    CONSTRAINT note_length CHECK (length(note) BETWEEN 1 AND 2000)
);

CREATE INDEX notes_of ON handfast_safety.notes (report_id, written_at);
