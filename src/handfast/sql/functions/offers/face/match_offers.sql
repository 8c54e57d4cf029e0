-- Every offer that is kept, also those that were answered or have expired.
CREATE OR REPLACE VIEW handfast.match_offers AS
SELECT o.id, o.user_id, o.candidate_id, o.status, o.offered_at, o.expires_at, o.accepted_at, o.acted_at,
       o.cooldown_until, o.day, o.place, o.score
FROM handfast_offers.match_offers AS o;

COMMENT ON VIEW handfast.match_offers IS 'one row for each offer of a candidate to a user';
