#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/observe/otlp/otlp_options.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(otlp_environment_test)

using variables = std::map<std::string, std::string>;

weft::otlp_environment read(const variables& all, std::string_view url = {})
{
    const weft::environment_lookup look = [all](const std::string& name) -> std::optional<std::string> {
        const auto found = all.find(name);
        return found == all.end() ? std::nullopt : std::optional{found->second};
    };
    return weft::otlp_from(look, url, "weft-test");
}

std::string attribute(const weft::otlp_environment& of, std::string_view name)
{
    for (const auto& [key, text] : of.sending->resource.attributes)
        if (key == name) return text;
    return "none";
}

BOOST_AUTO_TEST_CASE(without_an_endpoint_nothing_is_sent)
{
    BOOST_TEST(!read({}).sending);
    BOOST_TEST(!read({{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}}).sending);
    BOOST_TEST(!read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, {"OTEL_SDK_DISABLED", "true"}}).sending);
    BOOST_TEST(!read({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, {"OTEL_TRACES_EXPORTER", "none"}}).sending);
}

BOOST_AUTO_TEST_CASE(endpoints_are_completed_as_the_specification_says)
{
    const auto url = [](const variables& all, std::string_view said = {}) { return read(all, said).sending->url; };
    BOOST_TEST(url({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/"}}) == "http://c:4318/v1/traces");
    BOOST_TEST(url({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://l.example/api/public/otel"}}) ==
               "https://l.example/api/public/otel/v1/traces");
    BOOST_TEST(url({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"},
                    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:9/as/it/is"}}) == "http://t:9/as/it/is");
    BOOST_TEST(url({{"OTEL_SDK_DISABLED", "true"}}, "http://c:4318") == "http://c:4318/v1/traces");
    BOOST_TEST(url({}, "localhost:4318") == "http://localhost:4318/v1/traces");
    BOOST_TEST(url({}, "http://c:4318/own/path") == "http://c:4318/own/path");
}

BOOST_AUTO_TEST_CASE(headers_resource_and_rules_are_read)
{
    const weft::otlp_environment all =
        read({{"OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20YTpi, x-team = a%2Cb"},
              {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"},
              {"OTEL_EXPORTER_OTLP_TIMEOUT", "2500"},
              {"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=prod,service.name=ignored"},
              {"OTEL_SERVICE_NAME", "shop"},
              {"OTEL_TRACES_SAMPLER", "traceidratio"},
              {"OTEL_TRACES_SAMPLER_ARG", "0.25"},
              {"OTEL_SEMCONV_STABILITY_OPT_IN", "http,gen_ai_latest_experimental"},
              {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "TRUE"},
              {"WEFT_OTEL_KEEP_SLOW", "1500"}},
             "http://c");
    const weft::otlp_options& sending = *all.sending;
    BOOST_TEST_REQUIRE(sending.headers.size() == 2u);
    BOOST_TEST(sending.headers[0].first == "Authorization");
    BOOST_TEST(sending.headers[0].second.reveal() == "Basic YTpi");
    BOOST_TEST(sending.headers[1].second.reveal() == "a,b");
    BOOST_TEST((sending.format == weft::otlp_format::json));
    BOOST_TEST((sending.timeout == std::chrono::milliseconds{2500}));
    BOOST_TEST(attribute(all, "service.name") == "shop");
    BOOST_TEST(attribute(all, "deployment.environment") == "prod");
    BOOST_TEST(attribute(all, "service.instance.id") != "none");
    BOOST_TEST((sending.resource.dialect == weft::span_dialect::latest));
    BOOST_TEST(all.traces.has_content);
    BOOST_TEST(!all.traces.sampling.follows_caller);
    BOOST_TEST(all.traces.sampling.ratio == 0.25);
    BOOST_TEST((all.traces.sampling.keeps_slower_than == std::chrono::milliseconds{1500}));
    BOOST_TEST(attribute(read({}, "http://c"), "service.name") == "weft-test");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_named)
{
    for (const auto& [name, text] :
         variables{{"OTEL_TRACES_SAMPLER", "sometimes"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                   {"OTEL_EXPORTER_OTLP_HEADERS", "no pair"}, {"OTEL_BSP_MAX_QUEUE_SIZE", "-3"},
                   {"WEFT_OTEL_DIALECT", "2.0"}, {"OTEL_EXPORTER_OTLP_TIMEOUT", "soon"}}) {
        try {
            (void)read({{name, text}}, "http://c");
            BOOST_TEST(false, name);
        } catch (const weft::error& e) {
            BOOST_TEST((e.code() == weft::errc::invalid_configuration));
            BOOST_TEST((std::string{e.what()}.find(name) != std::string::npos), e.what());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
