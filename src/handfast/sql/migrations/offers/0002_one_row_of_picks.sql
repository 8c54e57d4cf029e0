-- What a round has chosen for a user is one row, not one for each candidate: a million people have six
-- million picks, and a row's own cost (its header, its entry in the index, the check of its foreign
-- key) was most of storing them. Who reads single picks reads the view.

CREATE TABLE handfast_offers.picked (
    day            date NOT NULL,
    user_id        uuid NOT NULL,
    candidates     uuid[] NOT NULL,
    places         smallint[] NOT NULL,
    scores         smallint[] NOT NULL,
    kinds          smallint[] NOT NULL,
    themes         text[] NOT NULL,
    CONSTRAINT picked_pkey PRIMARY KEY (day, user_id),
    CONSTRAINT picked_member FOREIGN KEY (day, user_id)
        REFERENCES handfast_offers.round_members (day, user_id) ON DELETE CASCADE,
    CONSTRAINT picked_others CHECK (user_id <> ALL (candidates)),
    CONSTRAINT picked_kinds CHECK (kinds <@ '{0,1,2,3,4}'),
    CONSTRAINT picked_whole CHECK (
        cardinality(candidates) = cardinality(places) AND cardinality(candidates) = cardinality(scores)
        AND cardinality(candidates) = cardinality(kinds) AND cardinality(candidates) = cardinality(themes)
    )
);

COMMENT ON TABLE handfast_offers.picked IS
    'what a round has chosen for a user, in the order of the set; the view picks has each by itself';
COMMENT ON COLUMN handfast_offers.picked.kinds IS
    '0 a return, 1 mutual, 2 one-sided, 3 in reserve, 4 the offer of the week';
COMMENT ON COLUMN handfast_offers.picked.themes IS 'of each candidate the constructs, with commas between';

CREATE INDEX picked_for_the_week ON handfast_offers.picked (day, user_id) WHERE kinds @> '{4}';

INSERT INTO handfast_offers.picked (day, user_id, candidates, places, scores, kinds, themes)
SELECT p.day, p.user_id, array_agg(p.candidate_id ORDER BY p.kind = 4, p.place),
       array_agg(p.place ORDER BY p.kind = 4, p.place), array_agg(p.score ORDER BY p.kind = 4, p.place),
       array_agg(p.kind ORDER BY p.kind = 4, p.place),
       array_agg(array_to_string(p.themes, ',') ORDER BY p.kind = 4, p.place)
FROM handfast_offers.picks AS p
GROUP BY p.day, p.user_id;

DROP TABLE handfast_offers.picks;

CREATE VIEW handfast_offers.picks AS
SELECT p.day, p.user_id, c.candidate_id, c.place, c.score, c.kind, c.themes
FROM handfast_offers.picked AS p
CROSS JOIN LATERAL unnest(p.candidates, p.places, p.scores, p.kinds, p.themes)
    AS c (candidate_id, place, score, kind, themes);

COMMENT ON VIEW handfast_offers.picks IS 'each candidate that a round has chosen for a user';

-- One index for both: what a user was offered, and that nobody is offered twice on a day.
DROP INDEX handfast_offers.offers_to;
ALTER TABLE handfast_offers.match_offers DROP CONSTRAINT offer_once_a_day;
ALTER TABLE handfast_offers.match_offers
    ADD CONSTRAINT offer_once_a_day UNIQUE (user_id, candidate_id, day);
-- Offers are written day after day, so a few pages say where those of a day are.
CREATE INDEX offers_by_day ON handfast_offers.match_offers USING brin (day);
