#pragma once

namespace cppgen {

// A port of this machine on which nobody listens. Another process may take it at any time.
int free_port();

// Returns whether somebody listens on this port of 127.0.0.1.
bool accepts_connections(int port);

}  // namespace cppgen
