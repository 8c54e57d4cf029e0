-- The event is called what the contract calls it. Who asked for it by its old name goes on getting it.
UPDATE handfast_webhooks.endpoints AS e
SET types = array_replace(e.types, 'webhook.disabled', 'webhook.endpoint_disabled')
WHERE 'webhook.disabled' = ANY (e.types);
