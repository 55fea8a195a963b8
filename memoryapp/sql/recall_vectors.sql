-- The vectors of facts that were found, to tell copies by.
SELECT e.fact_id, halfvec_send(e.embedding)
FROM memoryapp_factembedding e
WHERE e.user_id = %(user_id)s::uuid AND e.fact_id = ANY (%(ids)s::uuid[])
    AND e.model = %(model)s AND e.dimension = %(dimension)s
