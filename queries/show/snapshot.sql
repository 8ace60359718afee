-- A snapshot: the exact bytes of an input.
SELECT sha256, bytes FROM snapshot WHERE id = :snapshot;
