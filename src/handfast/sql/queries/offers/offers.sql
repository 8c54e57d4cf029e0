-- name: standing
-- Where a user stands with offers, on their local date $2.
SELECT u.timezone, u.status, u.onboarding,
       u.birth_date IS NOT NULL AND u.gender IS NOT NULL AND u.place_x IS NOT NULL AS has_profile,
       s.made_at, s.reason, d.due_at <= handfast_db.now() AS is_due
FROM (SELECT $1::uuid AS id) AS n
LEFT JOIN handfast_people.users AS u ON u.id = n.id
LEFT JOIN handfast_offers.sets AS s ON s.user_id = n.id AND s.day = $2 AND s.type = 'daily_offers'
LEFT JOIN handfast_offers.days AS d ON d.zone = u.timezone AND d.day = $2

-- name: timezone_of
SELECT handfast_db.now() AS now, (SELECT u.timezone FROM handfast_people.users AS u WHERE u.id = $1)
           AS timezone

-- name: live_offers
-- What a user is shown: today's first. While a candidate is suspended or away, their offers rest.
SELECT o.id, o.candidate_id, u.display_name, u.bio, u.birth_date, handfast_people.photos_of(u.id) AS photos,
       o.score, array_to_string(o.themes, ',') AS themes, o.status, o.offered_at, o.expires_at,
       o.cooldown_until, (handfast_db.now() AT TIME ZONE 'UTC')::date AS today
FROM handfast_offers.match_offers AS o
JOIN handfast_people.users AS u ON u.id = o.candidate_id AND u.status = 'active'
WHERE o.user_id = $1 AND o.status IN ('offered', 'not_now', 'accepted')
  AND o.expires_at > handfast_db.now() AND NOT handfast_offers.apart(o.user_id, o.candidate_id)
ORDER BY o.day DESC, o.place

-- name: offer_card
SELECT o.id, o.candidate_id, u.display_name, u.bio, u.birth_date, handfast_people.photos_of(u.id) AS photos,
       o.score, array_to_string(o.themes, ',') AS themes, o.status, o.offered_at, o.expires_at,
       o.cooldown_until, (handfast_db.now() AT TIME ZONE 'UTC')::date AS today
FROM handfast_offers.match_offers AS o
JOIN handfast_people.users AS u ON u.id = o.candidate_id
WHERE o.id = $1

-- name: candidate_of
SELECT o.candidate_id FROM handfast_offers.match_offers AS o WHERE o.id = $1 AND o.user_id = $2

-- name: lock_pair
SELECT handfast_offers.lock_pair($1, $2)

-- name: offer_between
-- The caller holds the pair. Live ones whose time is over have expired, whether or not that was
-- written; what rests or is closed is not there. Nor is anything of somebody who is suspended, has
-- gone, or is no match any more: who does the same again would be shown them.
SELECT CASE WHEN o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at <= handfast_db.now()
            THEN 'expired' ELSE o.status END AS status,
       o.status <> 'closed' AND NOT handfast_offers.apart(o.user_id, o.candidate_id)
       AND coalesce(u.status, 'deleted') NOT IN ('suspended', 'deleted')
       AND (o.status NOT IN ('offered', 'not_now') OR u.status = 'active')
       AND (o.status <> 'matched' OR EXISTS (
           SELECT 1 FROM handfast_offers.matches AS m
           WHERE m.low_id = least(o.user_id, o.candidate_id)
             AND m.high_id = greatest(o.user_id, o.candidate_id) AND m.closed_at IS NULL
       )) AS is_shown,
       EXISTS (SELECT 1 FROM handfast_offers.match_offers AS t
               WHERE t.user_id = o.candidate_id AND t.candidate_id = o.user_id
                 AND t.status = 'accepted' AND t.expires_at > handfast_db.now()) AS is_accepted_there
FROM handfast_offers.match_offers AS o
LEFT JOIN handfast_people.users AS u ON u.id = o.candidate_id
WHERE o.id = $1

-- name: act
UPDATE handfast_offers.match_offers AS o
SET status = $2, acted_at = handfast_db.now(),
    accepted_at = CASE WHEN $2 = 'accepted' THEN handfast_db.now() END,
    cooldown_until = handfast_db.now() + $3::interval
WHERE o.id = $1

-- name: match
-- Both offers, and the match. The caller holds the pair and has found both accepted.
WITH both_offers AS (
    UPDATE handfast_offers.match_offers AS o SET status = 'matched'
    WHERE o.status = 'accepted'
      AND ((o.user_id = $2 AND o.candidate_id = $3) OR (o.user_id = $3 AND o.candidate_id = $2))
)
INSERT INTO handfast_offers.matches (id, low_id, high_id, created_at)
VALUES ($1, least($2::uuid, $3::uuid), greatest($2::uuid, $3::uuid), handfast_db.now())

-- name: is_shown
-- Whether a live offer or an active match shows $2 to $1.
SELECT EXISTS (SELECT 1 FROM handfast_offers.match_offers AS o
               WHERE o.user_id = $1 AND o.candidate_id = $2
                 AND o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at > handfast_db.now())
    OR EXISTS (SELECT 1 FROM handfast_offers.matches AS m
               WHERE m.low_id = least($1::uuid, $2::uuid) AND m.high_id = greatest($1::uuid, $2::uuid)
                 AND m.closed_at IS NULL)

-- name: own_data
-- Ids of others, and nothing else of them.
SELECT jsonb_build_object(
    'offers', coalesce((SELECT jsonb_agg(jsonb_build_object(
        'id', o.id, 'userId', o.candidate_id, 'offeredAt', o.offered_at, 'status', o.status)
        ORDER BY o.offered_at, o.id)
        FROM handfast_offers.match_offers AS o WHERE o.user_id = $1), '[]'),
    'matches', coalesce((SELECT jsonb_agg(jsonb_build_object(
        'id', m.id, 'userId', CASE WHEN m.low_id = $1 THEN m.high_id ELSE m.low_id END,
        'createdAt', m.created_at, 'closedAt', m.closed_at) ORDER BY m.created_at, m.id)
        FROM handfast_offers.matches AS m WHERE m.low_id = $1 OR m.high_id = $1), '[]'))::text
