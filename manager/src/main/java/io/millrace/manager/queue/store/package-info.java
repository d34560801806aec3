/** Weight rows, samples, decisions and pacing states; only {@code queue} packages call it. */
package io.millrace.manager.queue.store;
