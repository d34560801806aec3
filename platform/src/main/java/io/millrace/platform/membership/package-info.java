/**
 * Soft state that nodes tell one another: who is alive, how loaded, holding what. Losing it delays
 * things and loses nothing. The only place that sees Hazelcast; used by node roles.
 */
package io.millrace.platform.membership;
