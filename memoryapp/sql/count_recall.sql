-- Counts a recall of each fact that is still there. The order of the ids keeps two batches
-- from waiting for each other.
INSERT INTO memoryapp_factusage (id, user_id, fact_id, recall_count, last_recalled_at)
SELECT fresh.id, f.user_id, f.id, 1, %(now)s::timestamptz
FROM unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[]) AS fresh (id, fact_id)
JOIN memoryapp_fact f ON f.user_id = %(user_id)s::uuid AND f.id = fresh.fact_id
ORDER BY f.id
ON CONFLICT (user_id, fact_id) DO UPDATE SET
    recall_count = memoryapp_factusage.recall_count + 1,
    last_recalled_at = greatest(memoryapp_factusage.last_recalled_at, excluded.last_recalled_at)
