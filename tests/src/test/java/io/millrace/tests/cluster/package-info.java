/**
 * Tests against a whole cluster in this process, over real HTTP, and the fixture that starts it.
 */
package io.millrace.tests.cluster;
