/**
 * What jobs require of a node, and which nodes they prefer: expressions over a node's attributes
 * (H-224), compiled, bounded and free of side effects. Pure; submission checks with it, placement
 * and explanation ask it.
 */
package io.millrace.manager.requirement;
