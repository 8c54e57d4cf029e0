-- How active an investor is: the number of companies that it has backed, a signal of the score, and
-- what equal scores are ordered by. And with which weights a version was scored.
--
-- A build of the release before that is under way now cannot be attached any more: its tables lack the
-- columns. It fails, readers keep what they have, and the next build is whole.

ALTER TABLE runs.investors
    ADD COLUMN deals integer,
    ADD CONSTRAINT investor_deals CHECK (deals >= 0);

COMMENT ON COLUMN runs.investors.deals IS 'how many companies it has backed; null where nobody knows';

ALTER TABLE runs.startup_investor_matches
    ADD COLUMN activity smallint NOT NULL DEFAULT -1,
    ADD COLUMN deals integer NOT NULL DEFAULT -1;

COMMENT ON COLUMN runs.startup_investor_matches.deals IS
    'the investor''s in this version, -1 where nobody knows: here for the index that orders by it';

ALTER TABLE runs.corpus_versions ADD COLUMN weights jsonb;

COMMENT ON COLUMN runs.corpus_versions.weights IS
    'what each signal counted when its pairs were scored; null where we did not score them';
