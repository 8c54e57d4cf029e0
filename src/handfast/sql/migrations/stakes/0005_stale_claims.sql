-- What Redis proposes and is not so is in the claim log, too.

ALTER TABLE handfast_stakes.claims
DROP CONSTRAINT claim_outcome,
DROP CONSTRAINT claim_reason,
ADD CONSTRAINT claim_outcome CHECK (outcome IN ('paired', 'passed', 'failed', 'stale')),
ADD CONSTRAINT claim_reason CHECK (reason IN ('locked', 'rematch', 'refused', 'gone', 'unknown'));
