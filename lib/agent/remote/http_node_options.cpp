#include <weft/agent/remote/http_node_options.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace weft {

namespace {

struct trusted_host {
    std::string host;
    std::optional<std::uint16_t> port;
};

/** Whether a text ends with a port: a colon behind the brackets of an IPv6 address. */
bool names_port(const std::string& text)
{
    const std::size_t colon = text.rfind(':');
    return colon != std::string::npos && text.find(']', colon) == std::string::npos;
}

}  // namespace

std::function<bool(const url& service)> trust_hosts(const std::vector<std::string>& hosts)
{
    std::vector<trusted_host> trusted;
    std::string faults;
    for (const std::string& text : hosts) {
        try {
            const url read{"http://" + text};
            if (read.target() != "/" || text.ends_with('/')) throw error{errc::invalid_url, text, "has a path"};
            trusted.push_back({read.host(), names_port(text) ? std::optional{read.port()} : std::nullopt});
        } catch (const error& e) {
            faults.append(faults.empty() ? "" : "; ").append("'" + text + "': " + e.detail());
        }
    }
    if (!faults.empty())
        throw error{errc::invalid_configuration, "trusted hosts",
                    "a host, or a host and a port, such as localhost or 10.1.2.3:8080, is expected: " + faults};
    return [trusted = std::move(trusted)](const url& service) {
        return std::any_of(trusted.begin(), trusted.end(), [&](const trusted_host& one) {
            return one.host == service.host() && (!one.port || *one.port == service.port());
        });
    };
}

}  // namespace weft
