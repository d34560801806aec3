/** The tables of partition groups and their members, the only SQL about them. */
package io.millrace.manager.partition.store;
