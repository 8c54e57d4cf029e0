-- Statements of the idempotency service: servers.

-- name: renew
SELECT handfast_idempotency.renew($1, $2);

-- name: prune_servers
SELECT handfast_idempotency.prune_servers($1);
