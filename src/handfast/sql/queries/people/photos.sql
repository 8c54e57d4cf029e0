-- Statements of people: photos and their files.

-- name: photos_so_far
SELECT count(*) AS photos, coalesce(bool_or(p.digest = $2), false) AS known
FROM handfast_people.photos AS p
WHERE p.user_id = $1;

-- name: photos_counted
-- Locks the user: two uploads at once count one after the other.
WITH owner AS MATERIALIZED (
    SELECT u.id FROM handfast_people.users AS u WHERE u.id = $1 FOR NO KEY UPDATE
)
SELECT handfast_people.count_photos(o.id) AS photos FROM owner AS o;

-- name: add_photo
SELECT a.is_primary, a.created_at
FROM handfast_people.add_photo($1, $2, $3, $4, $5, $6, $7) AS a (is_primary, created_at);

-- name: remove_photo
SELECT r.id FROM (SELECT handfast_people.remove_photo($1, $2) AS id) AS r WHERE r.id IS NOT NULL;

-- name: photo_for
-- Kept apart are two of whom one has blocked the other, and everybody from somebody who is gone.
SELECT p.id, p.user_id, p.thumbnail_at IS NOT NULL AS has_thumbnail,
       u.deleted_at IS NOT NULL OR u.suspended OR EXISTS (
           SELECT 1 FROM handfast_people.blocks AS b
           WHERE (b.user_id = p.user_id AND b.blocked_id = $2)
              OR (b.user_id = $2 AND b.blocked_id = p.user_id)) AS kept_apart
FROM handfast_people.photos AS p
JOIN handfast_people.users AS u ON u.id = p.user_id
WHERE p.id = $1;

-- name: photo_owner
SELECT p.user_id FROM handfast_people.photos AS p WHERE p.id = $1;

-- name: thumbnail_made
UPDATE handfast_people.photos AS p SET thumbnail_at = handfast_db.now() WHERE p.id = $1;

-- name: now
SELECT handfast_db.now() AS now;

-- name: unknown_files
-- An export that is not ready has two days to become so: its job may have been cancelled or died with
-- the archive written already, and then nothing else would remove it.
SELECT f.id
FROM unnest($1::uuid[]) AS f (id)
WHERE NOT EXISTS (SELECT 1 FROM handfast_people.photos AS p WHERE p.id = f.id)
  AND NOT EXISTS (
      SELECT 1 FROM handfast_people.verification_sessions AS s
      WHERE s.id = f.id AND (s.status = 'manual_review'
                             OR (s.status = 'open' AND s.expires_at > handfast_db.now())))
  AND NOT EXISTS (
      SELECT 1 FROM handfast_people.exports AS e
      WHERE e.id = f.id AND e.gone_at IS NULL
        AND (e.ready_at IS NOT NULL OR e.requested_at > handfast_db.now() - interval '2 days'));
