-- name: lock_publishing
SELECT handfast_offers.lock_publishing(true)

-- name: lock_publishing_alone
SELECT handfast_offers.lock_publishing(false)

-- name: publishable
-- Where each of these sets stands, in the order in which they were asked for.
SELECT n.day, n.user_id, n.zone, d.due_at, d.expires_at,
       d.ends_at <= handfast_db.now() AS is_over,
       p.chosen_at IS NOT NULL AS has_round,
       p.question_version, p.score, p.selection,
       m.user_id IS NOT NULL AS is_member,
       coalesce(u.status = 'active', false) AS is_active,
       s.user_id IS NOT NULL AS has_set
FROM unnest($1::date[], $2::uuid[], $3::text[]) WITH ORDINALITY AS n (day, user_id, zone, place)
LEFT JOIN handfast_offers.days AS d ON d.zone = n.zone AND d.day = n.day
LEFT JOIN handfast_offers.plans AS p ON p.day = n.day
LEFT JOIN handfast_offers.round_members AS m ON m.day = n.day AND m.user_id = n.user_id
LEFT JOIN handfast_people.users AS u ON u.id = n.user_id
LEFT JOIN handfast_offers.sets AS s
    ON s.day = n.day AND s.user_id = n.user_id AND s.type = 'daily_offers'
ORDER BY n.place

-- name: picks_of
-- What a round has chosen for these, and what of it has to be left out by now.
SELECT c.day, c.user_id, c.candidate_id, c.place, c.score, array_to_string(c.themes, ',') AS themes,
       coalesce(u.status <> 'active', true)
       OR handfast_offers.apart(c.user_id, c.candidate_id)
       OR EXISTS (SELECT 1 FROM handfast_offers.matches AS m
                  WHERE m.low_id = least(c.user_id, c.candidate_id)
                    AND m.high_id = greatest(c.user_id, c.candidate_id))
       OR EXISTS (SELECT 1 FROM handfast_offers.match_offers AS o
                  WHERE o.user_id = c.user_id AND o.candidate_id = c.candidate_id
                    AND o.status IN ('offered', 'not_now', 'accepted')) AS is_removed
FROM unnest($1::date[], $2::uuid[]) AS n (day, user_id)
JOIN handfast_offers.picks AS c ON c.day = n.day AND c.user_id = n.user_id
LEFT JOIN handfast_people.users AS u ON u.id = c.candidate_id
ORDER BY c.day, c.user_id, c.place

-- name: put_sets
INSERT INTO handfast_offers.sets
    (id, day, user_id, type, zone, due_at, made_at, status, reason, offers, removed,
     question_version, score, selection)
SELECT n.id, n.day, n.user_id, 'daily_offers', n.zone, n.due_at, handfast_db.now(), n.status, n.reason,
       n.offers, n.removed, n.question_version, n.score, n.selection
FROM unnest($1::uuid[], $2::date[], $3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::text[],
            $8::smallint[], $9::smallint[], $10::integer[], $11::text[], $12::text[])
    AS n (id, day, user_id, zone, due_at, status, reason, offers, removed, question_version, score,
          selection)
ON CONFLICT (day, user_id, type) DO NOTHING

-- name: put_offers
INSERT INTO handfast_offers.match_offers
    (id, user_id, candidate_id, day, place, score, themes, offered_at, expires_at)
SELECT n.id, n.user_id, n.candidate_id, n.day, n.place, n.score, string_to_array(n.themes, ','),
       n.offered_at, n.expires_at
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::date[], $5::smallint[], $6::smallint[], $7::text[],
            $8::timestamptz[], $9::timestamptz[])
    AS n (id, user_id, candidate_id, day, place, score, themes, offered_at, expires_at)

-- name: expire
-- Those that nobody acts on this moment; the others are found the next time.
WITH over AS MATERIALIZED (
    SELECT o.id FROM handfast_offers.match_offers AS o
    WHERE o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at <= handfast_db.now()
    ORDER BY o.expires_at LIMIT $1
    FOR UPDATE SKIP LOCKED
)
UPDATE handfast_offers.match_offers AS o SET status = 'expired'
FROM over WHERE o.id = over.id
