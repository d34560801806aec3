/** The claim table, the only SQL about claims. Wired by the launchers, locked by other stores. */
package io.millrace.platform.claim.store;
