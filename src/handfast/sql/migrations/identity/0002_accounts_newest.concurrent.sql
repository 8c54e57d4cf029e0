-- Accounts in the order in which operators page through them.
CREATE INDEX CONCURRENTLY accounts_newest ON handfast_identity.accounts (created_at, id);
