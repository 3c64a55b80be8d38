#include "cppgen/support/name_lookup.h"

#include <fmt/format.h>

#include <algorithm>

namespace cppgen {
namespace {

// The data that the library's thread uses until it has an answer.
struct PendingLookup {
  std::string host, service;
  addrinfo hints{};
  gaicb request{};
};

bool is_numeric(const std::string& host) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* list = nullptr;
  const bool numeric = getaddrinfo(host.c_str(), nullptr, &hints, &list) == 0;
  if (numeric) freeaddrinfo(list);
  return numeric;
}

addrinfo stream_hints(int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM, hints.ai_flags = flags;
  return hints;
}

timespec until(NetworkStream::Deadline deadline) {
  const auto left = std::max(deadline - NetworkStream::Clock::now(), NetworkStream::Clock::duration(0));
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {whole.count(), std::chrono::duration_cast<std::chrono::nanoseconds>(left - whole).count()};
}

[[noreturn]] void fail_lookup(const std::string& host, int error) {
  throw NetworkStream::Failure(fmt::format("its name '{}' is not known: {}", host, gai_strerror(error)));
}

}  // namespace

AddressList look_up(const std::string& host, int port, NetworkStream::Deadline deadline) {
  auto lookup = std::make_unique<PendingLookup>();
  lookup->host = host, lookup->service = std::to_string(port);
  if (is_numeric(host)) {
    const addrinfo hints = stream_hints(AI_NUMERICHOST | AI_NUMERICSERV);
    addrinfo* list = nullptr;
    if (const int error = getaddrinfo(host.c_str(), lookup->service.c_str(), &hints, &list)) fail_lookup(host, error);
    return AddressList(list);
  }
  lookup->hints = stream_hints(AI_NUMERICSERV);
  lookup->request.ar_name = lookup->host.c_str(), lookup->request.ar_service = lookup->service.c_str();
  lookup->request.ar_request = &lookup->hints;
  gaicb* requests[] = {&lookup->request};
  if (const int error = getaddrinfo_a(GAI_NOWAIT, requests, 1, nullptr)) fail_lookup(host, error);
  while (gai_error(requests[0]) == EAI_INPROGRESS) {
    const timespec left = until(deadline);
    if (left.tv_sec == 0 && left.tv_nsec == 0) {
      // The thread that asks cannot be stopped: its memory is left to it.
      if (gai_cancel(requests[0]) == EAI_NOTCANCELED) (void)lookup.release();
      throw NetworkStream::Failure(fmt::format("its name '{}' is not found in time", host));
    }
    gai_suspend(requests, 1, &left);
  }
  if (const int error = gai_error(requests[0])) fail_lookup(host, error);
  return AddressList(lookup->request.ar_result);
}

}  // namespace cppgen
