#include "connection_string.hpp"

#include <weft/base/error.hpp>

#include <boost/asio/ip/address.hpp>

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace weft::postgres_detail {

namespace {

struct option_list_deleter {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using option_list = std::unique_ptr<PQconninfoOption, option_list_deleter>;

constexpr std::size_t servers_max = 16;

std::vector<std::string> split_list(const std::string& text)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = text.find(',', begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string::npos) return parts;
        begin = end + 1;
    }
}

[[noreturn]] void refuse_string(const std::string& why)
{
    throw error{errc::invalid_configuration, "connection string of PostgreSQL", why};
}

bool is_address(const std::string& text)
{
    boost::system::error_code code;
    static_cast<void>(boost::asio::ip::make_address(text, code));
    return !code;
}

bool is_loopback(const std::string& text)
{
    boost::system::error_code code;
    const auto address = boost::asio::ip::make_address(text, code);
    return !code && address.is_loopback();
}

}  // namespace

bool server_address::is_resolved() const noexcept
{
    return !address.empty() || host.empty() || host.front() == '/' || host.front() == '@' || is_address(host);
}

bool server_address::is_local() const noexcept
{
    if (!address.empty()) return is_loopback(address);
    return host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" || is_loopback(host);
}

connection_string::connection_string(const std::string& text)
{
    char* message = nullptr;
    const option_list given{PQconninfoParse(text.c_str(), &message)};
    const std::unique_ptr<char, decltype(&PQfreemem)> owned{message, &PQfreemem};
    // libpq's message repeats what it did not understand, which may be a piece of the password.
    if (!given) refuse_string("it is neither an address postgresql://… nor a list of keyword=value");
    for (const PQconninfoOption* option = given.get(); option->keyword; ++option)
        if (option->val) settings_.emplace_back(option->keyword, option->val);
    if (!value_of("service").empty()) refuse_string("services are not supported: name host, port and dbname");
    const option_list defaults{PQconndefaults()};
    for (const PQconninfoOption* option = defaults.get(); option && option->keyword; ++option) {
        const std::string_view keyword = option->keyword;
        const bool is_needed = keyword == "host" || keyword == "hostaddr" || keyword == "port" ||
                               keyword == "dbname" || keyword == "user" || keyword == "password";
        if (is_needed && option->val && value_of(keyword).empty()) value_of(keyword) = option->val;
    }
    password_ = value_of("password");
    take_servers();
}

void connection_string::take_servers()
{
    const std::string addresses = value_of("hostaddr");
    std::string names = value_of("host");
    if (names.empty()) names = addresses.empty() ? std::string{"/var/run/postgresql"} : addresses;
    const std::vector<std::string> hosts = split_list(names);
    const std::vector<std::string> hostaddrs = split_list(addresses);
    const std::vector<std::string> ports = split_list(value_of("port"));
    if (hosts.size() > servers_max) refuse_string("it names more than 16 servers");
    const bool has_addresses = !addresses.empty();
    if ((has_addresses && hostaddrs.size() != hosts.size()) || (ports.size() > 1 && ports.size() != hosts.size()))
        refuse_string("host, hostaddr and port name different numbers of servers");
    label_ = "PostgreSQL " + (value_of("dbname").empty() ? value_of("user") : value_of("dbname")) + "@";
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        server_address server;
        server.host = hosts[i];
        server.port = ports[ports.size() > 1 ? i : 0];
        if (server.port.empty()) server.port = "5432";
        if (has_addresses) server.address = hostaddrs[i];
        label_ += (i > 0 ? "," : "") + server.host + ":" + server.port;
        servers_.push_back(std::move(server));
    }
}

std::string& connection_string::value_of(std::string_view keyword)
{
    const auto found = std::find_if(settings_.begin(), settings_.end(),
                                    [&](const auto& setting) { return setting.first == keyword; });
    if (found != settings_.end()) return found->second;
    return settings_.emplace_back(keyword, std::string{}).second;
}

std::vector<std::pair<std::string, std::string>> connection_string::settings_for(const server_address& server,
                                                                                 const std::string& address) const
{
    std::vector<std::pair<std::string, std::string>> chosen;
    bool has_ssl_mode = std::getenv("PGSSLMODE") != nullptr;
    bool has_gss_mode = std::getenv("PGGSSENCMODE") != nullptr;
    for (const auto& [keyword, value] : settings_) {
        if (value.empty() || keyword == "host" || keyword == "hostaddr" || keyword == "port") continue;
        if (keyword == "client_encoding" || keyword == "connect_timeout" || keyword == "target_session_attrs") continue;
        has_ssl_mode = has_ssl_mode || keyword == "sslmode";
        has_gss_mode = has_gss_mode || keyword == "gssencmode";
        chosen.emplace_back(keyword, value);
    }
    chosen.emplace_back("host", server.host);
    if (!address.empty()) chosen.emplace_back("hostaddr", address);
    chosen.emplace_back("port", server.port);
    chosen.emplace_back("client_encoding", "UTF8");
    chosen.emplace_back("fallback_application_name", "weft");
    if (!has_ssl_mode && !server.is_local()) chosen.emplace_back("sslmode", "verify-full");
    // A ticket server is asked with blocking calls.
    if (!has_gss_mode) chosen.emplace_back("gssencmode", "disable");
    return chosen;
}

std::string connection_string::scrub(std::string_view message) const
{
    std::string text{message};
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (password_.empty()) return text;
    for (std::size_t at = text.find(password_); at != std::string::npos; at = text.find(password_, at + 3))
        text.replace(at, password_.size(), "***");
    return text;
}

}  // namespace weft::postgres_detail
