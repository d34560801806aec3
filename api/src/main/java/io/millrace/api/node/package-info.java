/** What execution nodes and central managers say to one another (M-05..M-12). */
package io.millrace.api.node;
