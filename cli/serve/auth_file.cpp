#include "auth_file.hpp"

#include "graph/graph_file.hpp"
#include "graph/run_input.hpp"

#include <weft/base/json.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct jwt_entry {
    std::string issuer;
    std::string audience;
    std::optional<std::string> jwks_url;
    std::optional<std::string> jwks_file;
    std::optional<std::string> tenant_claim;
    std::optional<std::string> scope_claim;
};
BOOST_DESCRIBE_STRUCT(jwt_entry, (), (issuer, audience, jwks_url, jwks_file, tenant_claim, scope_claim))

struct limits_entry {
    std::optional<double> requests_per_second;
    std::optional<std::uint32_t> burst;
    std::optional<std::uint32_t> open_requests;
    std::optional<std::uint32_t> runs;
};
BOOST_DESCRIBE_STRUCT(limits_entry, (), (requests_per_second, burst, open_requests, runs))

struct certificate_entry {
    std::string subject;
    std::optional<std::string> name;
    std::optional<std::string> tenant;
    std::optional<std::vector<std::string>> scopes;
};
BOOST_DESCRIBE_STRUCT(certificate_entry, (), (subject, name, tenant, scopes))

struct auth_content {
    std::optional<bool> api_keys;
    std::optional<jwt_entry> jwt;
    std::optional<std::vector<certificate_entry>> certificates;
    std::optional<limits_entry> limits;
    std::optional<std::uint16_t> audit_days;
};
BOOST_DESCRIBE_STRUCT(auth_content, (), (api_keys, jwt, certificates, limits, audit_days))

std::string text_beside(const std::filesystem::path& file, const std::string& name)
{
    const file_text read = read_file(file.parent_path() / name, 256u << 10);
    if (!read.text) throw usage_error{"--auth " + file.string() + ": $.jwt.jwks_file: " + name + ": " + read.trouble};
    return *read.text;
}

weft::jwt_options jwt_of(const jwt_entry& entry, const std::filesystem::path& file)
{
    weft::jwt_options jwt;
    jwt.issuer = entry.issuer;
    jwt.audience = entry.audience;
    jwt.jwks_url = entry.jwks_url.value_or("");
    if (entry.jwks_file) jwt.jwks = text_beside(file, *entry.jwks_file);
    jwt.tenant_claim = entry.tenant_claim.value_or("");
    jwt.scope_claim = entry.scope_claim.value_or("");
    return jwt;
}

}  // namespace

weft::auth_options read_auth_file(const std::filesystem::path& file)
{
    const auto refuse = [&](const std::string& why) { throw usage_error{"--auth " + file.string() + ": " + why}; };
    const file_text read = read_file(file, 256u << 10);
    if (!read.text) refuse(read.trouble);
    auth_content content;
    try {
        content = weft::from_json<auth_content>(weft::parse_json(*read.text), {weft::unknown_members::refused});
    } catch (const weft::error& wrong) {
        refuse(wrong.what());
    }
    weft::auth_options auth;
    auth.api_keys = content.api_keys.value_or(false);
    if (content.jwt) auth.jwt = jwt_of(*content.jwt, file);
    for (const certificate_entry& each : content.certificates.value_or(std::vector<certificate_entry>{})) {
        weft::known_certificate& known = auth.certificates.emplace_back();
        known.subject = each.subject;
        known.who.name = each.name.value_or(each.subject);
        known.who.tenant = each.tenant.value_or("");
        if (each.scopes) known.who.scopes = *each.scopes;
    }
    if (!auth.is_on()) refuse("it lets nobody in: set api_keys, jwt, or certificates");
    if (content.limits) {
        auth.limits.requests_per_second = content.limits->requests_per_second.value_or(0);
        auth.limits.burst = content.limits->burst.value_or(auth.limits.burst);
        auth.limits.open_requests_max = content.limits->open_requests.value_or(0);
        auth.limits.runs_max = content.limits->runs.value_or(0);
    }
    if (auth.limits.requests_per_second < 0) refuse("$.limits.requests_per_second: is below 0");
    if (content.audit_days) auth.audit_lifetime = std::chrono::hours{24 * *content.audit_days};
    return auth;
}

}  // namespace weft_cli
