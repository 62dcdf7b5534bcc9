#pragma once

#include <string_view>

namespace weft {

/** Whether an IP address is one of the public internet, so that a request of unknown origin may go there.
 *
 *  Not public: this machine, private and shared networks, link-local ones with the metadata services of clouds,
 *  multicast, reserved and documentation ranges, and of IPv6 all that is no global unicast address. Addresses that
 *  carry an IPv4 address (mapped, NAT64) are what that one is; tunnels (6to4, Teredo) are refused.
 *
 *  @param address   As text, without brackets and zone; what is none is not public.
 *  @par Source      IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates). */
[[nodiscard]] bool is_public_address(std::string_view address) noexcept;

}  // namespace weft
