-- Statements of people: profiles and preferences.

-- name: user
SELECT a.id, a.phone, a.created_at, a.last_active_at,
       (handfast_db.now() AT TIME ZONE 'UTC')::date AS today,
       u.display_name, u.bio, u.birth_date, u.gender, coalesce(u.seeking, '{}') AS seeking,
       u.timezone, u.city, u.region, u.country, u.latitude, u.longitude,
       coalesce(u.min_age, 18::smallint) AS min_age,
       coalesce(u.max_age, 120::smallint) AS max_age,
       coalesce(u.max_distance_km, 50::smallint) AS max_distance_km,
       coalesce(u.relationship_intent, 'serious') AS relationship_intent,
       coalesce(u.physical_preferences, '{}') AS physical_preferences,
       coalesce(u.matching, true) AS matching,
       coalesce(u.status, CASE a.status WHEN 'active' THEN 'pending_verification' ELSE a.status END)
           AS status,
       coalesce(u.onboarding, 'questionnaire_pending') AS onboarding,
       handfast_people.photos_of(a.id) AS photos
FROM handfast_identity.accounts AS a
LEFT JOIN handfast_people.users AS u ON u.id = a.id
WHERE a.id = $1;

-- name: ensure_user
INSERT INTO handfast_people.users (id, created_at, updated_at)
VALUES ($1, handfast_db.now(), handfast_db.now())
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- name: change_user
WITH changed AS (
    INSERT INTO handfast_people.users AS u (
        id, created_at, updated_at, display_name, bio, birth_date, gender, seeking, timezone,
        matching, city, region, country, latitude, longitude, place_x, place_y, place_z,
        min_age, max_age, max_distance_km, relationship_intent, physical_preferences)
    VALUES (
        $1, handfast_db.now(), handfast_db.now(), $2, nullif($3, ''), $4, $5,
        coalesce($6::text[], '{}'), $7, coalesce($8, true),
        $10, $11, $12, $13, $14, $15, $16, $17,
        coalesce($18, 18::smallint), coalesce($19, 120::smallint), coalesce($20, 50::smallint),
        coalesce($21, 'serious'), coalesce($22::text[], '{}'))
    ON CONFLICT (id) DO UPDATE SET
        updated_at = handfast_db.now(),
        display_name = coalesce($2, u.display_name),
        bio = CASE WHEN $3 IS NULL THEN u.bio ELSE nullif($3, '') END,
        birth_date = coalesce($4, u.birth_date),
        gender = coalesce($5, u.gender),
        seeking = coalesce($6::text[], u.seeking),
        timezone = coalesce($7, u.timezone),
        matching = coalesce($8, u.matching),
        city = CASE WHEN $9::boolean THEN $10 ELSE u.city END,
        region = CASE WHEN $9 THEN $11 ELSE u.region END,
        country = CASE WHEN $9 THEN $12 ELSE u.country END,
        latitude = CASE WHEN $9 THEN $13 ELSE u.latitude END,
        longitude = CASE WHEN $9 THEN $14 ELSE u.longitude END,
        place_x = CASE WHEN $9 THEN $15 ELSE u.place_x END,
        place_y = CASE WHEN $9 THEN $16 ELSE u.place_y END,
        place_z = CASE WHEN $9 THEN $17 ELSE u.place_z END,
        min_age = coalesce($18, u.min_age),
        max_age = coalesce($19, u.max_age),
        max_distance_km = coalesce($20, u.max_distance_km),
        relationship_intent = coalesce($21, u.relationship_intent),
        physical_preferences = coalesce($22::text[], u.physical_preferences)
    WHERE ((u.verified_at IS NULL AND NOT u.in_review)
           OR (coalesce($4 = u.birth_date, true) AND coalesce($5 = u.gender, true)))
      -- Not left to the constraint: its complaint would put the whole row into the server's log.
      AND coalesce($18, u.min_age) <= coalesce($19, u.max_age)
    RETURNING u.*
)
SELECT a.id, a.phone, a.created_at, a.last_active_at,
       (handfast_db.now() AT TIME ZONE 'UTC')::date AS today,
       u.display_name, u.bio, u.birth_date, u.gender, u.seeking,
       u.timezone, u.city, u.region, u.country, u.latitude, u.longitude,
       u.min_age, u.max_age, u.max_distance_km, u.relationship_intent, u.physical_preferences,
       u.matching, u.status, u.onboarding, handfast_people.photos_of(a.id) AS photos
FROM changed AS u
JOIN handfast_identity.accounts AS a ON a.id = u.id;

-- name: correct_user
WITH changed AS (
    UPDATE handfast_people.users AS u
    SET birth_date = coalesce($2, u.birth_date), gender = coalesce($3, u.gender),
        updated_at = handfast_db.now()
    WHERE u.id = $1
    RETURNING u.*
)
SELECT a.id, a.phone, a.created_at, a.last_active_at,
       (handfast_db.now() AT TIME ZONE 'UTC')::date AS today,
       u.display_name, u.bio, u.birth_date, u.gender, u.seeking,
       u.timezone, u.city, u.region, u.country, u.latitude, u.longitude,
       u.min_age, u.max_age, u.max_distance_km, u.relationship_intent, u.physical_preferences,
       u.matching, u.status, u.onboarding, handfast_people.photos_of(a.id) AS photos
FROM changed AS u
JOIN handfast_identity.accounts AS a ON a.id = u.id;

-- name: preferences
SELECT p.preference, p.value::text AS value
FROM handfast_people.user_preferences AS p
WHERE p.user_id = $1
ORDER BY p.preference;

-- name: put_preferences
SELECT handfast_people.put_preferences($1, $2, $3) AS preferences;

-- name: remove_from_profile
WITH photos AS (DELETE FROM handfast_people.photos AS p WHERE p.user_id = $1)
UPDATE handfast_people.users AS u SET bio = NULL, updated_at = handfast_db.now() WHERE u.id = $1;
