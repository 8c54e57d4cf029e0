-- People: who they are, what they look for, what they answered.
--
--   handfast_people.users                    the profile of an account; the same id
--   handfast_people.user_preferences         named settings of a user
--   handfast_people.photos                   which pictures there are; the files are in the photo store
--   handfast_people.blocks                   who wants to see nothing of whom
--   handfast_people.reports                  what was reported; written by safety
--   handfast_people.compatibility_responses  answers to questions, one row each
--   handfast_people.answers                  the scored answers of a user in one narrow row, for offers
--   handfast_people.verification_sessions    attempts to prove that a person is who the profile says
--   handfast_people.exports, export_links    copies of one's own data, and the way to fetch them
--   handfast_people.pool                     a view: who may be offered to others
--
-- Whatever is about one person goes with the row in users; what others have about them (blocks,
-- reports) keeps an id that means nothing any more.

CREATE SCHEMA handfast_people;

COMMENT ON SCHEMA handfast_people IS 'Handfast: profiles, photos, answers, blocks';

CREATE TABLE handfast_people.users (
    id                     uuid NOT NULL,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    verified_at            timestamptz,
    deleted_at             timestamptz,
    birth_date             date,
    place_x                integer,
    place_y                integer,
    place_z                integer,
    latitude               double precision,
    longitude              double precision,
    min_age                smallint NOT NULL DEFAULT 18,
    max_age                smallint NOT NULL DEFAULT 120,
    max_distance_km        smallint NOT NULL DEFAULT 50,
    verification_failures  smallint NOT NULL DEFAULT 0,
    matching               boolean NOT NULL DEFAULT true,
    suspended              boolean NOT NULL DEFAULT false,
    restrained             boolean NOT NULL DEFAULT false,
    questionnaire_done     boolean NOT NULL DEFAULT false,
    in_review              boolean NOT NULL DEFAULT false,
    gender                 text,
    seeking                text[] NOT NULL DEFAULT '{}',
    relationship_intent    text NOT NULL DEFAULT 'serious',
    timezone               text,
    display_name           text,
    bio                    text,
    city                   text,
    region                 text,
    country                text,
    physical_preferences   text[] NOT NULL DEFAULT '{}',
    status                 text NOT NULL GENERATED ALWAYS AS (
        CASE WHEN deleted_at IS NOT NULL THEN 'deleted'
             WHEN suspended THEN 'suspended'
             WHEN verified_at IS NULL THEN 'pending_verification'
             WHEN NOT matching OR restrained THEN 'non_matching'
             ELSE 'active' END
    ) STORED,
    onboarding             text NOT NULL GENERATED ALWAYS AS (
        CASE WHEN verified_at IS NULL AND verification_failures >= 3 THEN 'blocked'
             WHEN NOT questionnaire_done THEN 'questionnaire_pending'
             WHEN verified_at IS NULL THEN 'verification_pending'
             ELSE 'complete' END
    ) STORED,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT user_account FOREIGN KEY (id) REFERENCES handfast_identity.accounts (id),
    CONSTRAINT user_name_length CHECK (length(display_name) BETWEEN 2 AND 50),
    CONSTRAINT user_bio_length CHECK (length(bio) <= 500),
    CONSTRAINT user_gender CHECK (gender IN ('male', 'female', 'non_binary', 'prefer_not_to_say')),
    CONSTRAINT user_seeking CHECK (
        seeking <@ ARRAY['male', 'female', 'non_binary', 'prefer_not_to_say']
    ),
    CONSTRAINT user_ages CHECK (min_age >= 18 AND max_age <= 120),
    CONSTRAINT user_ages_in_order CHECK (min_age <= max_age),
    CONSTRAINT user_distance CHECK (max_distance_km BETWEEN 1 AND 500),
    CONSTRAINT user_intent CHECK (
        relationship_intent IN ('casual', 'serious', 'marriage', 'unsure')
    ),
    CONSTRAINT user_place_whole CHECK (
        num_nulls(place_x, place_y, place_z, latitude, longitude) IN (0, 5)
    ),
    CONSTRAINT user_physical_preferences CHECK (cardinality(physical_preferences) <= 5)
);

COMMENT ON COLUMN handfast_people.users.place_x IS
    'a point on a sphere of the earth''s radius, in units of 10 m; set once with latitude and longitude';
COMMENT ON COLUMN handfast_people.users.seeking IS 'genders that are looked for; none means any';
COMMENT ON COLUMN handfast_people.users.restrained IS
    'by safety, while several reports wait for a decision: offered to nobody meanwhile';
COMMENT ON COLUMN handfast_people.users.verified_at IS
    'since when birth_date and gender are fixed, as far as they were known';

CREATE INDEX users_by_name ON handfast_people.users (lower(display_name) text_pattern_ops);
CREATE INDEX users_by_zone ON handfast_people.users (timezone, id) WHERE timezone IS NOT NULL;

CREATE TABLE handfast_people.user_preferences (
    user_id        uuid NOT NULL,
    preference     text NOT NULL,
    value          json NOT NULL,
    updated_at     timestamptz NOT NULL,
    CONSTRAINT user_preferences_pkey PRIMARY KEY (user_id, preference),
    CONSTRAINT preference_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE,
    CONSTRAINT preference_name CHECK (preference ~ '^[a-z][a-zA-Z0-9_.]{0,63}$'),
    CONSTRAINT preference_size CHECK (octet_length(value::text) <= 1024)
);

COMMENT ON COLUMN handfast_people.user_preferences.value IS
    'json and not jsonb: kept as it was sent, so that its size is what was checked';

CREATE TABLE handfast_people.photos (
    id             uuid NOT NULL,
    user_id        uuid NOT NULL,
    created_at     timestamptz NOT NULL,
    thumbnail_at   timestamptz,
    width          integer NOT NULL,
    height         integer NOT NULL,
    bytes          integer NOT NULL,
    is_primary     boolean NOT NULL,
    digest         bytea NOT NULL,
    CONSTRAINT photos_pkey PRIMARY KEY (id),
    CONSTRAINT photo_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE,
    CONSTRAINT photo_known UNIQUE (user_id, digest),
    CONSTRAINT photo_digest CHECK (octet_length(digest) = 32)
);

COMMENT ON COLUMN handfast_people.photos.digest IS
    'SHA-256 of what was sent, which is not kept: the same bytes again are refused';

CREATE UNIQUE INDEX photo_primary ON handfast_people.photos (user_id) WHERE is_primary;

CREATE TABLE handfast_people.blocks (
    user_id        uuid NOT NULL,
    blocked_id     uuid NOT NULL,
    blocked_at     timestamptz NOT NULL,
    reason         text,
    CONSTRAINT blocks_pkey PRIMARY KEY (user_id, blocked_id),
    CONSTRAINT block_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE,
    CONSTRAINT block_of_another CHECK (user_id <> blocked_id),
    CONSTRAINT block_reason CHECK (reason IN ('inappropriate', 'harassment', 'no_reason'))
);

CREATE INDEX blocks_of ON handfast_people.blocks (blocked_id, user_id);

-- No foreign keys: a report outlives those whom it is about.
CREATE TABLE handfast_people.reports (
    id             uuid NOT NULL,
    reporter_id    uuid NOT NULL,
    user_id        uuid NOT NULL,
    created_at     timestamptz NOT NULL,
    decided_at     timestamptz,
    type           text NOT NULL,
    subject_id     uuid NOT NULL,
    category       text NOT NULL,
    severity       text NOT NULL,
    status         text NOT NULL DEFAULT 'open',
    description    text,
    evidence       jsonb NOT NULL DEFAULT '[]',
    CONSTRAINT reports_pkey PRIMARY KEY (id),
    CONSTRAINT report_type CHECK (type IN ('user', 'message', 'match')),
    CONSTRAINT report_category CHECK (category IN (
        'harassment', 'inappropriate_content', 'scam', 'violence', 'self_harm', 'child_safety',
        'other')),
    CONSTRAINT report_severity CHECK (severity IN ('critical', 'high', 'standard')),
    CONSTRAINT report_status CHECK (status IN ('open', 'decided', 'dismissed')),
    CONSTRAINT report_decided CHECK ((status = 'open') = (decided_at IS NULL)),
    CONSTRAINT report_of_another CHECK (reporter_id <> user_id),
    CONSTRAINT report_description_length CHECK (length(description) <= 2000)
);

COMMENT ON COLUMN handfast_people.reports.user_id IS 'whom it is about, whatever its subject is';

CREATE INDEX reports_of ON handfast_people.reports (user_id, reporter_id);
CREATE INDEX reports_by ON handfast_people.reports (reporter_id, subject_id, category, created_at);
CREATE INDEX reports_open ON handfast_people.reports (created_at) WHERE status = 'open';

CREATE TABLE handfast_people.compatibility_responses (
    user_id        uuid NOT NULL,
    question_id    text NOT NULL,
    version        integer NOT NULL,
    importance     smallint,
    answered_at    timestamptz NOT NULL,
    answer         jsonb NOT NULL,
    wish           jsonb,
    CONSTRAINT compatibility_responses_pkey PRIMARY KEY (user_id, question_id),
    CONSTRAINT response_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE,
    CONSTRAINT response_importance CHECK (importance BETWEEN 0 AND 4)
);

-- Reading a response at a time takes ten times as long where a million users are read.
CREATE TABLE handfast_people.answers (
    user_id        uuid NOT NULL,
    version        integer NOT NULL,
    answers        bytea NOT NULL,
    CONSTRAINT answers_pkey PRIMARY KEY (user_id),
    CONSTRAINT answers_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE
);

COMMENT ON COLUMN handfast_people.answers.answers IS
    'five bytes for each scored question of the version, in its order: importance (255: no answer), '
    'answer and wish, two bytes each, the lower first';

CREATE TABLE handfast_people.verification_sessions (
    id               uuid NOT NULL,
    user_id          uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    status           text NOT NULL DEFAULT 'open',
    has_picture      boolean NOT NULL DEFAULT false,
    failure_reason   text,
    consent_version  text NOT NULL,
    provider         text NOT NULL,
    CONSTRAINT verification_sessions_pkey PRIMARY KEY (id),
    CONSTRAINT verification_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE,
    CONSTRAINT verification_status CHECK (
        status IN ('open', 'verified', 'failed', 'manual_review', 'expired')
    ),
    CONSTRAINT verification_ended CHECK ((status = 'open') = (ended_at IS NULL)),
    CONSTRAINT verification_failed_for_a_reason CHECK (
        (status = 'failed') = (failure_reason IS NOT NULL)
    ),
    CONSTRAINT verification_reason CHECK (failure_reason IN (
        'liveness_failed', 'age_verification_failed', 'quality_too_low', 'policy_violation'))
);

CREATE UNIQUE INDEX verification_open ON handfast_people.verification_sessions (user_id)
    WHERE status = 'open';
CREATE INDEX verifications_of ON handfast_people.verification_sessions (user_id, created_at);
CREATE INDEX verifications_to_review ON handfast_people.verification_sessions (ended_at)
    WHERE status = 'manual_review';

CREATE TABLE handfast_people.exports (
    id             uuid NOT NULL,
    user_id        uuid NOT NULL,
    requested_at   timestamptz NOT NULL,
    ready_at       timestamptz,
    gone_at        timestamptz,
    CONSTRAINT exports_pkey PRIMARY KEY (id),
    CONSTRAINT export_user FOREIGN KEY (user_id)
        REFERENCES handfast_people.users (id) ON DELETE CASCADE,
    CONSTRAINT export_in_order CHECK (gone_at IS NULL OR ready_at IS NOT NULL)
);

CREATE INDEX exports_of ON handfast_people.exports (user_id, requested_at DESC);
CREATE INDEX exports_kept ON handfast_people.exports (ready_at) WHERE gone_at IS NULL;

CREATE TABLE handfast_people.export_links (
    id             uuid NOT NULL,
    export_id      uuid NOT NULL,
    sign_in_id     uuid NOT NULL,
    expires_at     timestamptz NOT NULL,
    CONSTRAINT export_links_pkey PRIMARY KEY (id),
    CONSTRAINT link_export FOREIGN KEY (export_id)
        REFERENCES handfast_people.exports (id) ON DELETE CASCADE
);

CREATE INDEX links_of ON handfast_people.export_links (export_id, sign_in_id);

CREATE VIEW handfast_people.pool AS
SELECT u.id, u.birth_date, u.gender, u.seeking, u.min_age, u.max_age, u.max_distance_km,
       u.relationship_intent, u.timezone, u.place_x, u.place_y, u.place_z, a.version, a.answers
FROM handfast_people.users AS u
JOIN handfast_people.answers AS a ON a.user_id = u.id
WHERE u.status = 'active' AND u.questionnaire_done
  AND u.birth_date IS NOT NULL AND u.gender IS NOT NULL AND u.timezone IS NOT NULL
  AND u.place_x IS NOT NULL;

COMMENT ON VIEW handfast_people.pool IS
    'who may be offered to others: verified, done with the questions, and with a whole profile';
