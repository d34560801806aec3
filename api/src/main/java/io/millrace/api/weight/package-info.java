/** The weights of queues and how they move between queue nodes. */
package io.millrace.api.weight;
