/**
 * Copies the central database for a backup, and fills an empty one from such a copy. Called by the
 * routes and, for the restoration, by the command line while no central manager runs.
 */
package io.millrace.manager.backup;
