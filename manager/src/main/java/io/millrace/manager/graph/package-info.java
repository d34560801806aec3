/**
 * The graph of a workflow as data: how its steps are numbered and stored, what needs what, and the
 * longest chain. Pure; nothing here knows the database.
 */
package io.millrace.manager.graph;
