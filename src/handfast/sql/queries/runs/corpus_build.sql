-- Statements of the match runs: making a version of the corpus. Its tables are not part of the corpus
-- until it is finished, so they are named: {startups}, {investors}, {matches}.

-- name: version_investors
SELECT i.investor_id, i.sectors, i.stages, i.countries, i.cheque_min, i.cheque_max, i.thesis, i.deals
FROM {investors} AS i;

-- name: version_startups
SELECT s.startup_id, s.sectors, s.stage, s.country, s.raising, s.pitch
FROM {startups} AS s WHERE s.startup_id > $1 ORDER BY s.startup_id LIMIT $2;

-- name: count_version_startups
SELECT count(*) FROM {startups};

-- name: version_startup_ids
SELECT s.startup_id FROM {startups} AS s;

-- name: version_deals
SELECT i.investor_id, coalesce(i.deals, -1) AS deals FROM {investors} AS i;

-- name: pairs_twice
SELECT m.startup_id, m.investor_id FROM {matches} AS m
GROUP BY m.startup_id, m.investor_id HAVING count(*) > 1 LIMIT $1;

-- name: remove_pairs
DELETE FROM {matches} AS m USING unnest($1::text[], $2::text[]) AS d(startup_id, investor_id)
WHERE m.startup_id = d.startup_id AND m.investor_id = d.investor_id;

-- name: carry_startups
-- What version $1 has and version $2 does not, by id or by address.
INSERT INTO {startups}
    (version, raising, startup_id, name, url, canonical_url, stage, country, sectors, pitch)
SELECT $2::integer, o.raising, o.startup_id, o.name, o.url, o.canonical_url, o.stage, o.country,
       o.sectors, o.pitch
FROM handfast_runs.startup_uploads AS o
WHERE o.version = $1
  AND NOT EXISTS (SELECT FROM {startups} AS n WHERE n.startup_id = o.startup_id)
  AND NOT EXISTS (SELECT FROM {startups} AS n WHERE n.canonical_url = o.canonical_url)
ORDER BY o.startup_id;

-- name: carry_investors
INSERT INTO {investors}
    (version, cheque_min, cheque_max, investor_id, name, url, stages, countries, sectors, thesis, deals)
SELECT $2::integer, o.cheque_min, o.cheque_max, o.investor_id, o.name, o.url, o.stages, o.countries,
       o.sectors, o.thesis, o.deals
FROM handfast_runs.investors AS o
WHERE o.version = $1
  AND NOT EXISTS (SELECT FROM {investors} AS n WHERE n.investor_id = o.investor_id)
ORDER BY o.investor_id;

-- name: carry_matches
-- Pairs whose two sides came along, with what the new version knows of the investor's deals.
INSERT INTO {matches}
    (version, score, sector, stage, geography, cheque, thesis, activity, deals, startup_id, investor_id)
SELECT $2::integer, o.score, o.sector, o.stage, o.geography, o.cheque, o.thesis, o.activity,
       coalesce(d.deals, -1), o.startup_id, o.investor_id
FROM handfast_runs.startup_investor_matches AS o
JOIN {investors} AS d ON d.investor_id = o.investor_id
WHERE o.version = $1
  AND NOT EXISTS (
      SELECT FROM {matches} AS n
      WHERE n.startup_id = o.startup_id AND n.investor_id = o.investor_id
  )
  AND EXISTS (SELECT FROM {startups} AS s WHERE s.startup_id = o.startup_id)
ORDER BY o.startup_id, o.score DESC, d.deals DESC NULLS LAST, o.investor_id;

-- name: analyze_part
ANALYZE {part};

-- name: vacuum_part
VACUUM (FREEZE, ANALYZE) {part};

-- name: detach_part
-- It waits for whoever has read the table, and stops nobody who reads.
ALTER TABLE {parent} DETACH PARTITION {part} CONCURRENTLY;

-- name: finish_detaching_part
ALTER TABLE {parent} DETACH PARTITION {part} FINALIZE;

-- name: drop_part
DROP TABLE {part};
