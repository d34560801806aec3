/**
 * The tables of a store on a MySQL or MariaDB server: the types named {@code Dao} contain the
 * statements, the others manage connections and transactions.
 */
package io.millrace.queuenode.store.mysql;
