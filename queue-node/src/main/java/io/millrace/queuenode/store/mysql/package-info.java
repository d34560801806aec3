/**
 * The tables under a store on a MySQL or MariaDB server: statements stand in the types named {@code
 * Dao}, the rest keeps connections and transactions.
 */
package io.millrace.queuenode.store.mysql;
