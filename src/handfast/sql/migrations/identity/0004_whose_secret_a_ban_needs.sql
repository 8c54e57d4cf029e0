-- The hash of a banned phone cannot be made anew: it is known for as long as its secret is configured.
-- Which secret that is was said nowhere, so nobody could tell when the ban was lost.
ALTER TABLE handfast_identity.banned_phones
ADD COLUMN made_under bytea,
ADD CONSTRAINT banned_phone_made_under CHECK (length(made_under) = 8);

COMMENT ON COLUMN handfast_identity.banned_phones.made_under IS
    'fingerprint of the secret that the hash was made under; null if it was made before this was kept';
