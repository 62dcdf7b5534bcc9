#pragma once

#include "mcp_http_server.hpp"
#include "tool/oauth/form_text.hpp"
#include "tool/oauth/oauth_secrets.hpp"

#include <weft/base/text/percent_encoded.hpp>
#include <weft/tool/oauth/oauth_options.hpp>

#include <boost/json/serialize.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

/** An MCP server that wants tokens, and the authorization server that gives them, both on one port. It checks every
 *  parameter, and writes down what is wrong. */
namespace oauth_server {

using namespace mcp_http_server;
using fields = std::map<std::string, std::string>;

/** What a server is like. */
struct manners {
    bool knows_pkce = true;
    bool names_resource_metadata = true;  // in the challenge, beside the well-known place
    bool registers = true;
    bool rotates = true;
    bool knows_documents = false;
    std::string resource{};   // in the metadata; empty: its own
    std::string issuer{};     // in the metadata of the authorization server; empty: its own
    std::string location{};   // where its metadata redirect to; empty: nowhere
    std::string issuer_back{};  // `iss` of the redirect
    std::string scope{};      // of the challenge
    std::string call_scope{};  // without which tools are not called
    int expires_in = 3600;
    bool refuses_all_tokens = false;
};

inline fields fields_of(std::string_view form)
{
    fields read;
    const auto list = weft::tool_detail::read_form(form, 100).value();
    for (const auto& [name, value] : list) read[name] += value;
    return read;
}

class server {
public:
    explicit server(manners how = {}) : how_{std::move(how)}, endpoint_{plain()}
    {
        endpoint_.when(weft::testing::any_request()).reply_always([this](const scripted_endpoint_request& request) {
            const std::lock_guard guard{lock_};
            return answer(request);
        });
    }

    [[nodiscard]] std::string url() const { return endpoint_.url(); }
    [[nodiscard]] std::string origin() const { return weft::url{url()}.origin(); }
    [[nodiscard]] std::string issuer() const { return origin() + "/as"; }
    [[nodiscard]] const scripted_endpoint& endpoint() const { return endpoint_; }

    /** What a person does who agrees: what the browser comes back with. */
    [[nodiscard]] std::string agree(const std::string& visited)
    {
        const std::lock_guard guard{lock_};
        ++visits;
        fields said = fields_of(visited.substr(visited.find('?') + 1));
        expect(visited.starts_with(origin() + "/authorize?tenant=1&"), "goes to the authorization endpoint");
        expect(said["response_type"] == "code" && said["code_challenge_method"] == "S256", "a code with S256");
        expect(said["resource"] == resource(), "names the resource");
        expect(redirects_[said["client_id"]] == said["redirect_uri"], "comes back to the registered URI");
        expect(said["state"].size() >= 40 && said["code_challenge"].size() == 43, "has a state and a challenge");
        asked_scopes.push_back(said["scope"]);
        const std::string code = "code-" + std::to_string(++made_) + "-secret+/=";
        codes_[code] = said;
        std::string back = "code=" + weft::percent_encoded(code) + "&state=" + said["state"];
        if (!how_.issuer_back.empty()) back += "&iss=" + weft::percent_encoded(how_.issuer_back);
        return back;
    }

    /** Makes every token worthless; the refresh tokens too, if asked. */
    void forget_tokens(bool with_refreshes = false)
    {
        const std::lock_guard guard{lock_};
        tokens_.clear();
        if (with_refreshes) refreshes_.clear();
    }
    void know_client(const std::string& id, const std::string& redirect) { redirects_[id] = redirect; }
    void change(const std::function<void(manners&)>& how)
    {
        const std::lock_guard guard{lock_};
        how(how_);
    }

    /** What was wrong, a line for each. */
    [[nodiscard]] std::string complaints() const
    {
        const std::lock_guard guard{lock_};
        return complaints_;
    }
    [[nodiscard]] int count(const std::string& what) const
    {
        const std::lock_guard guard{lock_};
        const auto found = counts_.find(what);
        return found == counts_.end() ? 0 : found->second;
    }

    std::atomic<int> visits = 0;
    std::vector<std::string> asked_scopes;

private:
    [[nodiscard]] std::string resource() const { return how_.resource.empty() ? url() : how_.resource; }

    void expect(bool holds, const std::string& what)
    {
        if (!holds) complaints_ += what + '\n';
    }

    static scripted_reply json(const boost::json::object& body, int status = 200)
    {
        return weft::testing::status(status).body(boost::json::serialize(body));
    }

    scripted_reply answer(const scripted_endpoint_request& request)
    {
        const std::string path = request.target.substr(0, request.target.find('?'));
        if (path == "/v1") return answer_mcp(request);
        expect(!request.header("Authorization").starts_with("Bearer"), "no token goes to " + path);
        if (path == "/.well-known/oauth-protected-resource/v1") return resource_metadata();
        if (path == "/.well-known/oauth-authorization-server/as") return server_metadata();
        if (path == "/register") return register_client(request);
        if (path == "/token") return give_token(request);
        return weft::testing::status(404).body("");
    }

    scripted_reply resource_metadata()
    {
        ++counts_["resource_metadata"];
        boost::json::object said{{"resource", resource()}};
        said["authorization_servers"] = boost::json::array{issuer()};
        said["scopes_supported"] = boost::json::array{"read"};
        return json(said);
    }

    scripted_reply server_metadata()
    {
        ++counts_["server_metadata"];
        if (!how_.location.empty()) return weft::testing::status(302).header("Location", how_.location).body("");
        boost::json::object said{{"issuer", how_.issuer.empty() ? issuer() : how_.issuer}};
        said["authorization_endpoint"] = origin() + "/authorize?tenant=1";
        said["token_endpoint"] = origin() + "/token";
        if (how_.registers) said["registration_endpoint"] = origin() + "/register";
        if (how_.knows_pkce) said["code_challenge_methods_supported"] = boost::json::array{"plain", "S256"};
        said["client_id_metadata_document_supported"] = how_.knows_documents;
        return json(said);
    }

    scripted_reply register_client(const scripted_endpoint_request& request)
    {
        ++counts_["register"];
        const boost::json::object& said = request.json.as_object();
        expect(said.at("token_endpoint_auth_method") == "none" && said.at("application_type") == "native",
               "registers as a public client of this machine");
        const std::string id = "client-" + std::to_string(++made_);
        redirects_[id] = said.at("redirect_uris").as_array().at(0).as_string().c_str();
        return json({{"client_id", id}, {"client_id_issued_at", 1}}, 201);
    }

    scripted_reply give_token(const scripted_endpoint_request& request)
    {
        fields said = fields_of(request.body);
        ++counts_[said["grant_type"]];
        expect(request.method == "POST" && request.header("Content-Type") == "application/x-www-form-urlencoded",
               "a token is asked for by a form");
        expect(said["resource"] == resource(), "the token is for the resource");
        if (said["grant_type"] == "client_credentials") {
            expect(request.header("Authorization") == "Basic aWQlMkYxOnNlY3JldCUyNTEyMzQ1Njc4", "proves who it is");
            return made_token(said["scope"], false);
        }
        if (said["grant_type"] == "refresh_token") {
            const auto found = refreshes_.find(said["refresh_token"]);
            if (found == refreshes_.end()) return json({{"error", "invalid_grant"}}, 400);
            const std::string scope = found->second;
            if (how_.rotates) refreshes_.erase(found);
            return made_token(scope, how_.rotates);
        }
        const auto found = codes_.find(said["code"]);
        if (found == codes_.end()) return json({{"error", "invalid_grant"}, {"error_description", said["code"]}}, 400);
        fields asked = found->second;
        codes_.erase(found);
        expect(said["client_id"] == asked["client_id"], "the same client");
        expect(said["redirect_uri"] == asked["redirect_uri"], "the same redirect");
        expect(weft::tool_detail::pkce_challenge(said["code_verifier"]) == asked["code_challenge"],
               "the verifier fits");
        return made_token(asked["scope"], true);
    }

    scripted_reply made_token(const std::string& scope, bool with_refresh)
    {
        const std::string number = std::to_string(++made_);
        const std::string token = "access-token-" + number + "-0123456789";
        tokens_[token] = scope;
        boost::json::object said{{"access_token", token}, {"token_type", "bearer"}, {"expires_in", how_.expires_in}};
        said["scope"] = scope;
        if (with_refresh) {
            const std::string refresh = "refresh-token-" + number + "-0123456789";
            refreshes_[refresh] = scope;
            said["refresh_token"] = refresh;
        }
        return json(said);
    }

    scripted_reply answer_mcp(const scripted_endpoint_request& request)
    {
        const std::string_view bearer = request.header("Authorization");
        const auto token = tokens_.find(std::string{bearer.substr(std::min<std::size_t>(7, bearer.size()))});
        const auto* const in = request.json.if_object();
        const std::string method{in && in->contains("method") ? in->at("method").as_string().c_str() : ""};
        if (token == tokens_.end() || how_.refuses_all_tokens) {
            ++counts_["401"];
            std::string said = "Basic realm=\"x\", Bearer error=\"invalid_token\"";
            if (how_.names_resource_metadata)
                said += ", resource_metadata=\"" + origin() + "/.well-known/oauth-protected-resource/v1\"";
            if (!how_.scope.empty()) said += ", scope=\"" + how_.scope + "\"";
            return weft::testing::status(401).header("WWW-Authenticate", said).body("");
        }
        const bool may_call = (" " + token->second + " ").find(" " + how_.call_scope + " ") != std::string::npos;
        if (method == "tools/call" && !how_.call_scope.empty() && !may_call) {
            ++counts_["403"];
            return weft::testing::status(403)
                .header("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"" + how_.call_scope + "\"")
                .body("");
        }
        ++counts_[request.method + " " + method];
        if (request.method == "GET") return weft::testing::status(405).body("");
        if (request.method == "DELETE") return weft::testing::status(204).body("");
        if (method == "server/discover") return weft::testing::status(404).body("");
        if (method == "initialize") return mcp_http_server::answer(legacy_answer)(request);
        if (method == "tools/call")
            return mcp_http_server::answer(R"({"content":[{"type":"text","text":"Booked"}]})")(request);
        return weft::testing::status(202).body("");
    }

    manners how_;
    mutable std::mutex lock_;
    std::map<std::string, int> counts_;
    std::map<std::string, std::string> redirects_;  // by client
    std::map<std::string, fields> codes_;
    std::map<std::string, std::string> tokens_;     // their scopes
    std::map<std::string, std::string> refreshes_;  // their scopes
    int made_ = 0;
    std::string complaints_;
    scripted_endpoint endpoint_;  // last: its thread uses what is above
};

inline constexpr const char* redirect_uri = "http://127.0.0.1:7777/callback";

inline task<std::string> visit(server* at, std::string target)
{
    co_return at->agree(target);
}

inline task<weft::oauth_redirect> redirect_to(server* at)
{
    weft::oauth_redirect redirect;
    redirect.uri = redirect_uri;
    redirect.visit = [at](std::string target) { return visit(at, std::move(target)); };
    co_return redirect;
}

/** Options with a person who agrees. */
inline weft::oauth_options agreeing(server& at)
{
    weft::oauth_options options;
    options.redirect = [&at] { return redirect_to(&at); };
    return options;
}

inline weft::mcp_endpoint at(const server& where, weft::oauth_options options)
{
    weft::mcp_endpoint endpoint{where.url()};
    endpoint.resume_delay = 1ms;
    endpoint.oauth = std::move(options);
    return endpoint;
}

inline bool is_booked(const call_outcome& outcome) { return outcome.result && outcome.result->text() == "Booked"; }

}  // namespace oauth_server
