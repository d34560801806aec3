/**
 * Nodes closed to one definition because it failed there quickly again and again while it succeeds
 * elsewhere, so that no broken node swallows a backlog. Learns when attempts end; placement and the
 * list of nodes read it.
 */
package io.millrace.manager.closure;
