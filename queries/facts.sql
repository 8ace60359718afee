-- How an operation's module words it; NULL: shapes unknown.
SELECT facts FROM operation WHERE id = :operation;
