/** TCP links between the processes of a drill, which can be cut in each direction. */
package io.millrace.tests.drill.network;
