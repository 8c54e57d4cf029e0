-- Daily offers: who is shown to whom, on which local day, and what came of it.
--
--   handfast_offers.days           when sets of a date are due in a zone, and when its offers expire
--   handfast_offers.plans          one for each date: what its round was computed from, and by which rules
--   handfast_offers.round_members  the people of a plan as they were when it was pinned
--   handfast_offers.kept_apart     pairs that a plan must not choose, or only with a higher score
--   handfast_offers.returns        who has accepted somebody who was not shown them: the plan's, too
--   handfast_offers.picks          what a round has chosen, and what is in reserve
--   handfast_offers.sets           one row for each date, user and type: made, or skipped and why
--   handfast_offers.match_offers   a candidate shown to a user
--   handfast_offers.matches        two people who have accepted each other
--
-- Lock order: jobs of the engine, the lock of publishing (shared to publish, exclusive to block or
-- delete), the lock of a pair, rows.

CREATE SCHEMA handfast_offers;

COMMENT ON SCHEMA handfast_offers IS 'Handfast: daily offers and matches';

CREATE TABLE handfast_offers.days (
    zone           text NOT NULL,
    day            date NOT NULL,
    due_at         timestamptz NOT NULL,
    ends_at        timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    fanned_out_at  timestamptz,
    closed_at      timestamptz,
    CONSTRAINT days_pkey PRIMARY KEY (zone, day),
    CONSTRAINT day_in_order CHECK (due_at < ends_at AND ends_at < expires_at)
);

COMMENT ON TABLE handfast_offers.days IS
    'computed in Python by the pinned zone tables; SQL does no arithmetic with zones';
COMMENT ON COLUMN handfast_offers.days.fanned_out_at IS 'since when all jobs of the zone were enqueued';
COMMENT ON COLUMN handfast_offers.days.closed_at IS
    'since when whoever got no set on that day has a skipped one';

CREATE INDEX days_open ON handfast_offers.days (due_at) WHERE closed_at IS NULL;
CREATE INDEX days_by_day ON handfast_offers.days (day);

CREATE TABLE handfast_offers.plans (
    day               date NOT NULL,
    pinned_at         timestamptz NOT NULL,
    chosen_at         timestamptz,
    question_version  integer,
    people            integer NOT NULL,
    score             text NOT NULL,
    selection         text NOT NULL,
    settings          jsonb NOT NULL,
    figures           jsonb,
    CONSTRAINT plans_pkey PRIMARY KEY (day),
    CONSTRAINT plan_chosen CHECK ((chosen_at IS NULL) = (figures IS NULL))
);

COMMENT ON COLUMN handfast_offers.plans.question_version IS
    'the questions whose answers are compared; who has answered others is in no round. Null: nobody';

CREATE TABLE handfast_offers.round_members (
    day              date NOT NULL,
    user_id          uuid NOT NULL,
    birth_date       date NOT NULL,
    place_x          integer NOT NULL,
    place_y          integer NOT NULL,
    place_z          integer NOT NULL,
    min_age          smallint NOT NULL,
    max_age          smallint NOT NULL,
    max_distance_km  smallint NOT NULL,
    places           smallint NOT NULL,
    late             boolean NOT NULL DEFAULT false,
    gender           text NOT NULL,
    seeking          text[] NOT NULL,
    intent           text NOT NULL,
    answers          bytea NOT NULL,
    CONSTRAINT round_members_pkey PRIMARY KEY (day, user_id),
    CONSTRAINT member_plan FOREIGN KEY (day) REFERENCES handfast_offers.plans (day)
);

COMMENT ON COLUMN handfast_offers.round_members.places IS 'how many offers there is room for';
COMMENT ON COLUMN handfast_offers.round_members.late IS
    'came after the plan: is offered to nobody, and gets one-sided offers';

CREATE INDEX memberships ON handfast_offers.round_members (user_id);

CREATE TABLE handfast_offers.kept_apart (
    day            date NOT NULL,
    low_id         uuid NOT NULL,
    high_id        uuid NOT NULL,
    at_least       smallint,
    live           smallint NOT NULL,
    reason         text NOT NULL,
    CONSTRAINT kept_apart_pkey PRIMARY KEY (day, low_id, high_id),
    CONSTRAINT kept_apart_plan FOREIGN KEY (day) REFERENCES handfast_offers.plans (day),
    CONSTRAINT kept_apart_in_order CHECK (low_id < high_id),
    CONSTRAINT kept_apart_live CHECK (live BETWEEN 0 AND 3),
    CONSTRAINT kept_apart_reason CHECK (reason IN (
        'blocked', 'reported', 'matched', 'offered', 'cool_down', 'passed_twice', 'passed_before'))
);

COMMENT ON COLUMN handfast_offers.kept_apart.at_least IS
    'the score in ten-thousandths that would do; null: none';
COMMENT ON COLUMN handfast_offers.kept_apart.live IS
    'to whom the other must not be offered one-sidedly either: 1 to the first, 2 to the second, 3 to both. '
    'Where one of the two has a live offer, only the other may get one';

CREATE TABLE handfast_offers.returns (
    day            date NOT NULL,
    user_id        uuid NOT NULL,
    candidate_id   uuid NOT NULL,
    score          smallint NOT NULL,
    CONSTRAINT returns_pkey PRIMARY KEY (day, user_id, candidate_id),
    CONSTRAINT return_plan FOREIGN KEY (day) REFERENCES handfast_offers.plans (day)
);

COMMENT ON TABLE handfast_offers.returns IS
    'the candidate was shown the user, and not the other way round, and has accepted';

CREATE TABLE handfast_offers.picks (
    day            date NOT NULL,
    user_id        uuid NOT NULL,
    candidate_id   uuid NOT NULL,
    place          smallint NOT NULL,
    score          smallint NOT NULL,
    kind           smallint NOT NULL,
    themes         text[] NOT NULL,
    CONSTRAINT picks_pkey PRIMARY KEY (day, user_id, candidate_id),
    CONSTRAINT pick_member FOREIGN KEY (day, user_id)
        REFERENCES handfast_offers.round_members (day, user_id) ON DELETE CASCADE,
    CONSTRAINT pick_of_another CHECK (user_id <> candidate_id),
    CONSTRAINT pick_kind CHECK (kind BETWEEN 0 AND 4)
);

COMMENT ON COLUMN handfast_offers.picks.kind IS
    '0 a return, 1 mutual, 2 one-sided, 3 in reserve, 4 the offer of the week';

CREATE INDEX picks_of_the_week ON handfast_offers.picks (day, user_id) WHERE kind = 4;

CREATE TABLE handfast_offers.sets (
    id                uuid NOT NULL,
    user_id           uuid NOT NULL,
    day               date NOT NULL,
    question_version  integer,
    made_at           timestamptz NOT NULL,
    due_at            timestamptz NOT NULL,
    offers            smallint NOT NULL,
    removed           uuid[] NOT NULL,
    type              text NOT NULL,
    zone              text NOT NULL,
    status            text NOT NULL,
    reason            text,
    score             text,
    selection         text,
    CONSTRAINT sets_pkey PRIMARY KEY (day, user_id, type),
    CONSTRAINT set_type CHECK (type IN ('daily_offers', 'weekly_anchor')),
    CONSTRAINT set_status CHECK (status IN ('completed', 'skipped')),
    CONSTRAINT set_reason CHECK (
        reason IN ('not_in_plan', 'nobody_eligible', 'all_removed', 'not_active', 'missed')
    ),
    CONSTRAINT set_skipped_for_a_reason CHECK (status = 'completed' OR reason IS NOT NULL),
    CONSTRAINT set_empty_for_a_reason CHECK ((offers = 0) = (reason IS NOT NULL))
);

COMMENT ON TABLE handfast_offers.sets IS 'what makes a set unique for ever';
COMMENT ON COLUMN handfast_offers.sets.removed IS
    'whom the round had chosen and publishing left out: with it a replay makes the same set';

CREATE INDEX sets_of ON handfast_offers.sets (user_id, day DESC);
CREATE INDEX sets_by_zone ON handfast_offers.sets (day, zone);
CREATE INDEX sets_skipped ON handfast_offers.sets (day) WHERE status = 'skipped';

CREATE TABLE handfast_offers.match_offers (
    id              uuid NOT NULL,
    user_id         uuid NOT NULL,
    candidate_id    uuid NOT NULL,
    offered_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    acted_at        timestamptz,
    accepted_at     timestamptz,
    cooldown_until  timestamptz,
    day             date NOT NULL,
    place           smallint NOT NULL,
    score           smallint NOT NULL,
    kind            smallint NOT NULL,
    status          text NOT NULL DEFAULT 'offered',
    themes          text[] NOT NULL,
    CONSTRAINT match_offers_pkey PRIMARY KEY (id),
    CONSTRAINT offer_once_a_day UNIQUE (day, user_id, candidate_id),
    CONSTRAINT offer_status CHECK (status IN (
        'offered', 'accepted', 'passed', 'not_now', 'matched', 'expired', 'closed')),
    CONSTRAINT offer_score CHECK (score BETWEEN 0 AND 10000),
    CONSTRAINT offer_of_another CHECK (user_id <> candidate_id),
    CONSTRAINT offer_accepted CHECK (status NOT IN ('accepted', 'matched') OR accepted_at IS NOT NULL)
);

-- One live offer for each user and candidate, whoever makes it and when.
CREATE UNIQUE INDEX offer_live ON handfast_offers.match_offers (user_id, candidate_id)
    WHERE status IN ('offered', 'not_now', 'accepted');
CREATE INDEX offers_to_expire ON handfast_offers.match_offers (expires_at)
    WHERE status IN ('offered', 'not_now', 'accepted');
CREATE INDEX offers_of ON handfast_offers.match_offers (candidate_id, user_id);
CREATE INDEX offers_to ON handfast_offers.match_offers (user_id, candidate_id);
CREATE INDEX offers_cooling ON handfast_offers.match_offers (cooldown_until)
    WHERE cooldown_until IS NOT NULL;

-- Two people match once: whoever unmatched is never offered again.
CREATE TABLE handfast_offers.matches (
    id              uuid NOT NULL,
    low_id          uuid NOT NULL,
    high_id         uuid NOT NULL,
    created_at      timestamptz NOT NULL,
    closed_at       timestamptz,
    closed_by       uuid,
    closed_reason   text,
    unmatch_reason  text,
    status          text NOT NULL GENERATED ALWAYS AS (
        CASE WHEN closed_at IS NULL THEN 'active' ELSE 'closed' END
    ) STORED,
    CONSTRAINT matches_pkey PRIMARY KEY (id),
    CONSTRAINT match_once UNIQUE (low_id, high_id),
    CONSTRAINT match_in_order CHECK (low_id < high_id),
    CONSTRAINT match_closed CHECK ((closed_at IS NULL) = (closed_reason IS NULL)),
    CONSTRAINT match_closed_reason CHECK (
        closed_reason IN ('unmatched', 'blocked', 'deleted', 'expired')
    ),
    CONSTRAINT match_unmatch_reason CHECK (
        unmatch_reason IN ('not_interested', 'inappropriate', 'other')
    )
);

CREATE INDEX matches_of_high ON handfast_offers.matches (high_id);
CREATE INDEX matches_closed ON handfast_offers.matches (closed_at) WHERE closed_at IS NOT NULL;
