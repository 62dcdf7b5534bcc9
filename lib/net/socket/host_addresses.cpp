#include <weft/net/socket/host_addresses.hpp>

#include "host_lookup.hpp"

#include <utility>

namespace weft {

task<std::vector<boost::asio::ip::address>> find_addresses(std::string host, std::chrono::milliseconds limit,
                                                           std::string name_servers)
{
    const bool is_ipv6 = host.find(':') != std::string::npos;
    url target{"http://" + (is_ipv6 ? "[" + host + "]" : host) + "/"};
    serial_loop& loop = co_await this_task::loop();
    net_detail::host_lookup_options options;
    options.name_servers = std::move(name_servers);
    net_detail::host_lookup lookup{loop, std::move(options)};
    co_return co_await lookup.find(std::move(target), loop.now() + limit);
}

}  // namespace weft
