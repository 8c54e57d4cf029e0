-- Who is who: phones, sign-ins, and what proves them.
--
--   handfast_identity.accounts        one for each phone, for people and players alike
--   handfast_identity.sign_ins        one for each device that is signed in, or was lately
--   handfast_identity.refresh_tokens  what prolongs a sign-in; each is spent once
--   handfast_identity.otp_requests    codes that were sent, and how often somebody guessed
--   handfast_identity.signing_keys    what signs access tokens; private halves are encrypted
--   handfast_identity.banned_phones   what is left of a banned account once it is erased
--
-- Secrets are not here: tokens are hashed, codes, devices and addresses are keyed hashes, private
-- keys and kept successors are encrypted under HANDFAST_IDENTITY_SECRET.

CREATE SCHEMA handfast_identity;

COMMENT ON SCHEMA handfast_identity IS 'Handfast: accounts by phone, sign-ins, tokens';

-- What an account is follows from what happened to it: nobody can write a status that contradicts.
CREATE TABLE handfast_identity.accounts (
    id              uuid NOT NULL,
    created_at      timestamptz NOT NULL,
    last_active_at  timestamptz NOT NULL,
    suspended_at    timestamptz,
    suspended_until handfast_db.instant,
    action_id       uuid,
    deleted_at      timestamptz,
    erased_at       timestamptz,
    phone           text COLLATE "C",
    status          text NOT NULL GENERATED ALWAYS AS (
        CASE WHEN deleted_at IS NOT NULL THEN 'deleted'
             WHEN suspended_at IS NOT NULL THEN 'suspended'
             ELSE 'active' END
    ) STORED,
    CONSTRAINT accounts_pkey PRIMARY KEY (id),
    CONSTRAINT account_phone UNIQUE (phone),
    CONSTRAINT account_phone_form CHECK (phone ~ '^\+[1-9][0-9]{6,14}$'),
    CONSTRAINT account_phone_until_erased CHECK ((phone IS NULL) = (erased_at IS NOT NULL)),
    CONSTRAINT account_erased_after_deletion CHECK (erased_at IS NULL OR deleted_at IS NOT NULL),
    CONSTRAINT account_suspended_by_an_action CHECK ((suspended_at IS NULL) = (action_id IS NULL)),
    CONSTRAINT account_until_of_a_suspension CHECK (suspended_until IS NULL OR suspended_at IS NOT NULL)
);

COMMENT ON COLUMN handfast_identity.accounts.phone IS 'E.164; null once the account is erased';
COMMENT ON COLUMN handfast_identity.accounts.action_id IS 'the enforcement action that suspended it';
COMMENT ON COLUMN handfast_identity.accounts.suspended_until IS 'null of a suspension: for ever';

CREATE INDEX accounts_suspended_until ON handfast_identity.accounts (suspended_until)
WHERE suspended_until IS NOT NULL;
CREATE INDEX accounts_to_erase ON handfast_identity.accounts (deleted_at)
WHERE deleted_at IS NOT NULL AND erased_at IS NULL;

CREATE TABLE handfast_identity.sign_ins (
    id           uuid NOT NULL,
    account_id   uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    idle_until   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    ended_by     text,
    device_hash  bytea,
    CONSTRAINT sign_ins_pkey PRIMARY KEY (id),
    CONSTRAINT sign_in_account FOREIGN KEY (account_id) REFERENCES handfast_identity.accounts (id),
    CONSTRAINT sign_in_ended_for_a_reason CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
    CONSTRAINT sign_in_end CHECK (
        ended_by IN ('logout', 'revoked', 'too_many', 'theft', 'deletion', 'operator')
    )
) WITH (fillfactor = 80);

COMMENT ON COLUMN handfast_identity.sign_ins.device_hash IS
    'of the device that was named when the code was verified; null if none was';

CREATE INDEX sign_ins_of_account ON handfast_identity.sign_ins (account_id, created_at)
WHERE ended_at IS NULL;

CREATE TABLE handfast_identity.refresh_tokens (
    hash          bytea NOT NULL,
    sign_in_id    uuid NOT NULL,
    created_at    timestamptz NOT NULL,
    spent_at      timestamptz,
    spent_address bytea,
    successor     bytea,
    CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash),
    CONSTRAINT refresh_token_sign_in FOREIGN KEY (sign_in_id)
        REFERENCES handfast_identity.sign_ins (id) ON DELETE CASCADE,
    CONSTRAINT refresh_token_hash CHECK (length(hash) = 32),
    CONSTRAINT refresh_token_spent_for_one CHECK ((spent_at IS NULL) = (successor IS NULL))
) WITH (fillfactor = 80);

-- One token of a sign-in can be spent: the newest. Two at once would be two families.
CREATE UNIQUE INDEX refresh_token_unspent ON handfast_identity.refresh_tokens (sign_in_id)
WHERE spent_at IS NULL;
CREATE INDEX refresh_tokens_of_sign_in ON handfast_identity.refresh_tokens (sign_in_id);

COMMENT ON COLUMN handfast_identity.refresh_tokens.successor IS
    'the token that it was spent for, encrypted: the same for whoever asks again within the grace';

-- One row for each phone and device that asked lately: the asker is a keyed hash of both.
CREATE TABLE handfast_identity.otp_requests (
    id         uuid NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    sent_at    timestamptz NOT NULL,
    used_at    timestamptz,
    sends      smallint NOT NULL DEFAULT 1,
    tries      smallint NOT NULL DEFAULT 0,
    asker      bytea NOT NULL,
    code_hash  bytea NOT NULL,
    phone      text COLLATE "C" NOT NULL,
    CONSTRAINT otp_requests_pkey PRIMARY KEY (id),
    CONSTRAINT otp_request_tries CHECK (tries BETWEEN 0 AND 3),
    CONSTRAINT otp_request_code CHECK (length(code_hash) = 32)
) WITH (fillfactor = 80);

CREATE INDEX otp_requests_of_asker ON handfast_identity.otp_requests (asker, created_at DESC);
CREATE INDEX otp_requests_expired ON handfast_identity.otp_requests (expires_at);

CREATE TABLE handfast_identity.signing_keys (
    kid            text COLLATE "C" NOT NULL,
    created_at     timestamptz NOT NULL,
    signs_from     timestamptz NOT NULL,
    verifies_until timestamptz,
    public_key     bytea NOT NULL,
    private_key    bytea,
    CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
    CONSTRAINT signing_key_public CHECK (length(public_key) = 32)
);

COMMENT ON COLUMN handfast_identity.signing_keys.verifies_until IS
    'from then on its tokens are nobody''s; null while no other has followed';
COMMENT ON COLUMN handfast_identity.signing_keys.private_key IS
    'encrypted; null once another signs';

CREATE TABLE handfast_identity.banned_phones (
    hash      bytea NOT NULL,
    banned_at timestamptz NOT NULL,
    action_id uuid NOT NULL,
    CONSTRAINT banned_phones_pkey PRIMARY KEY (hash)
);
