/** How many slots of this node are taken, and by which attempts. Called by the agent. */
package io.millrace.executor.slots;
