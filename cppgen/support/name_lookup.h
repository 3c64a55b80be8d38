#pragma once
#include <netdb.h>

#include <memory>
#include <string>

#include "cppgen/support/network_stream.h"

namespace cppgen {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

// The addresses of a TCP server, at least one. NetworkStream::Failure if there is none, or at the deadline.
AddressList look_up(const std::string& host, int port, NetworkStream::Deadline);

}  // namespace cppgen
