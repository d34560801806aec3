package io.millrace.manager.placement;

import java.util.UUID;

/**
 * An execution node that takes jobs.
 *
 * @param id its own id
 * @param name its name
 * @param near name of the queue node that it stands beside; null for none
 * @param slots slots it offers
 * @param free slots that no recorded attempt has booked; negative when it offers fewer than before
 *     or takes nothing now
 */
public record OpenNode(UUID id, String name, String near, int slots, int free) {}
