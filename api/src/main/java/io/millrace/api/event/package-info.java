/** Events on the wire: sending, leasing, acknowledging. Used by producers, workers and nodes. */
package io.millrace.api.event;
