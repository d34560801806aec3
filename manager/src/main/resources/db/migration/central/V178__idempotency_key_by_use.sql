create index idempotency_key_by_use on idempotency_key (used_at)
