/** The backend that runs one command at a time as a child of the node, for laptops and tests. */
package io.millrace.executor.sequential;
