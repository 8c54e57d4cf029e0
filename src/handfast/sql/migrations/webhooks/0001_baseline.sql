-- Events, delivered to other people's endpoints.
--
--   handfast_webhooks.endpoints  where to, which types, and whether it is worth trying
--   handfast_webhooks.secrets    what signs: one is current, those before it stay valid for a while
--   handfast_webhooks.attempts   what was sent and what came back; pruned after a while
--   handfast_webhooks.replays    what was sent again because somebody asked
--
-- A delivery is a job of the engine (kind webhooks.deliver). Whoever emits writes a row to the engine's
-- outbox; handfast_webhooks.relay makes the deliveries of it, and deletes it, in one transaction.

CREATE SCHEMA handfast_webhooks;

COMMENT ON SCHEMA handfast_webhooks IS 'Handfast: events, delivered to other people''s endpoints';

CREATE TABLE handfast_webhooks.endpoints (
    id             uuid NOT NULL,
    created_at     timestamptz NOT NULL,
    state_since    timestamptz NOT NULL,
    failing_since  timestamptz,
    state          text NOT NULL DEFAULT 'active',
    reason         text,
    url            text NOT NULL,
    types          text[] NOT NULL DEFAULT '{}',
    description    text NOT NULL DEFAULT '',
    since          bigint NOT NULL,
    CONSTRAINT endpoints_pkey PRIMARY KEY (id),
    CONSTRAINT endpoint_state CHECK (state IN ('active', 'paused', 'disabled')),
    CONSTRAINT endpoint_stopped_for_a_reason CHECK ((state = 'active') = (reason IS NULL)),
    CONSTRAINT endpoint_url CHECK (url ~* '^https?://' AND length(url) <= 2048),
    CONSTRAINT endpoint_types CHECK (
        array_to_string(types, ' ', '-') ~ '^([a-z_]+\.([a-z_]+|\*)( |$))*$'
    ),
    CONSTRAINT endpoint_description_length CHECK (length(description) <= 500)
);

COMMENT ON COLUMN handfast_webhooks.endpoints.types IS
    'the event types that it wants, or area.* for a whole area; empty means all';
COMMENT ON COLUMN handfast_webhooks.endpoints.since IS
    'it gets the events that were emitted after this one: since it was registered, or resumed';
COMMENT ON COLUMN handfast_webhooks.endpoints.failing_since IS
    'the first failure after the last success; null while all is well';

CREATE TABLE handfast_webhooks.secrets (
    endpoint_id    uuid NOT NULL,
    number         integer NOT NULL,
    created_at     timestamptz NOT NULL,
    expires_at     handfast_db.instant,
    secret         text NOT NULL,
    CONSTRAINT secrets_pkey PRIMARY KEY (endpoint_id, number),
    CONSTRAINT secret_endpoint FOREIGN KEY (endpoint_id)
        REFERENCES handfast_webhooks.endpoints (id) ON DELETE CASCADE,
    CONSTRAINT secret_form CHECK (secret ~ '^whsec_')
);

CREATE UNIQUE INDEX secret_current ON handfast_webhooks.secrets (endpoint_id) WHERE expires_at IS NULL;

-- No foreign key: the log of an endpoint that was removed goes when it is old.
CREATE TABLE handfast_webhooks.attempts (
    id             bigint GENERATED ALWAYS AS IDENTITY,
    at             timestamptz NOT NULL,
    job_id         bigint NOT NULL,
    event_id       uuid NOT NULL,
    endpoint_id    uuid NOT NULL,
    attempt        integer NOT NULL,
    status         smallint,
    seconds        real NOT NULL,
    outcome        text NOT NULL,
    event_type     text NOT NULL,
    error          text,
    excerpt        text,
    CONSTRAINT attempts_pkey PRIMARY KEY (id),
    CONSTRAINT attempt_outcome CHECK (outcome IN ('delivered', 'failed', 'refused', 'gone'))
);

CREATE INDEX attempts_by_endpoint ON handfast_webhooks.attempts (endpoint_id, id DESC);

CREATE TABLE handfast_webhooks.replays (
    id             bigint GENERATED ALWAYS AS IDENTITY,
    endpoint_id    uuid NOT NULL,
    asked_at       timestamptz NOT NULL,
    event_id       uuid,
    since          handfast_db.instant,
    until          handfast_db.instant,
    deliveries     integer NOT NULL DEFAULT 0,
    CONSTRAINT replays_pkey PRIMARY KEY (id),
    CONSTRAINT replay_endpoint FOREIGN KEY (endpoint_id)
        REFERENCES handfast_webhooks.endpoints (id) ON DELETE CASCADE,
    CONSTRAINT replay_one_or_a_range CHECK ((event_id IS NULL) = (since IS NOT NULL AND until IS NOT NULL))
);

-- The body is in functions/webhooks/endpoints/note_endpoints.sql, which the same migrate applies.
CREATE FUNCTION handfast_webhooks.note_endpoints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NULL;
END
$$;

CREATE TRIGGER endpoints_noted AFTER INSERT OR UPDATE OF state OR DELETE ON handfast_webhooks.endpoints
FOR EACH ROW EXECUTE FUNCTION handfast_webhooks.note_endpoints();
