-- Statements of chat.

-- name: send
SELECT s.outcome, s.message_id, s.created_at, s.read_at, s.removed_at
FROM handfast_chat.send_message($1, $2, $3, $4, $5) AS s;

-- name: mark_read
SELECT handfast_chat.mark_read($1, $2, $3) AS outcome;

-- name: is_in_match
SELECT EXISTS (SELECT 1 FROM handfast_offers.matches AS m
               WHERE m.id = $1 AND $2::uuid IN (m.low_id, m.high_id)) AS found;

-- name: number_of
SELECT m.number FROM handfast_chat.messages AS m WHERE m.id = $1 AND m.match_id = $2;

-- name: page
-- By number: whatever is written meanwhile comes before the first page.
SELECT m.id, m.match_id, m.sender_id, m.content,
       CASE WHEN m.sender_id = $2 THEN m.client_message_id END AS client_message_id,
       m.created_at, m.read_at, m.removed_at
FROM handfast_chat.messages AS m
WHERE m.match_id = $1 AND ($3::bigint IS NULL OR m.number < $3)
ORDER BY m.number DESC
LIMIT $4;

-- name: state_of_chats
SELECT c.match_id, c.last_message_at,
       (SELECT count(*) FROM handfast_chat.messages AS m
        WHERE m.match_id = c.match_id AND m.sender_id <> $1 AND m.number > coalesce(r.number, 0)) AS unread,
       r.number AS read, (SELECT m.id FROM handfast_chat.messages AS m
                          WHERE m.match_id = c.match_id AND m.number = r.number) AS read_up_to
FROM handfast_chat.chats AS c
LEFT JOIN handfast_chat.read_marks AS r ON r.match_id = c.match_id AND r.user_id = $1
WHERE c.match_id = ANY($2::uuid[]);

-- name: own_data
SELECT jsonb_build_object('messages', coalesce((
    SELECT jsonb_agg(jsonb_build_object(
        'id', m.id, 'matchId', m.match_id, 'content', m.content, 'createdAt', m.created_at)
        ORDER BY m.created_at, m.id)
    FROM handfast_chat.messages AS m WHERE m.sender_id = $1), '[]'))::text AS data;

-- name: evidence
-- What a user may see: these, and the newest of a match.
SELECT m.id, m.match_id, m.sender_id,
       CASE m.sender_id WHEN o.low_id THEN o.high_id ELSE o.low_id END AS recipient_id,
       m.created_at, m.content
FROM handfast_chat.messages AS m
JOIN handfast_offers.matches AS o ON o.id = m.match_id AND $1::uuid IN (o.low_id, o.high_id)
WHERE m.id IN (
    SELECT unnest($2::uuid[])
    UNION ALL
    (SELECT n.id FROM handfast_chat.messages AS n
     WHERE n.match_id = $3::uuid ORDER BY n.number DESC LIMIT $4)
)
ORDER BY m.match_id, m.number DESC;

-- name: remove_message
UPDATE handfast_chat.messages AS m SET content = NULL, removed_at = handfast_db.now()
WHERE m.id = $1 AND m.removed_at IS NULL;

-- name: forget_chats_of
DELETE FROM handfast_chat.chats AS c
USING handfast_offers.matches AS m
WHERE m.id = c.match_id AND (m.low_id = $1 OR m.high_id = $1);

-- name: removal_due
SELECT EXISTS (
           SELECT 1 FROM handfast_chat.removal AS r
           JOIN handfast_offers.matches AS m ON m.closed_at > r.through
           WHERE m.closed_at <= handfast_db.now() - $1::interval
       ) AS due,
       to_char(handfast_db.now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24') AS hour;

-- name: remove_chats
SELECT handfast_chat.remove_chats($1, $2) AS removed;
