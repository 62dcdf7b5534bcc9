#include <boost/test/unit_test.hpp>

#include <weft/observe/otlp/otlp_spans.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(otlp_spans_test)

using weft::span_dialect;
using weft::span_key;

std::vector<weft::span> one_span()
{
    weft::span one{.name = "chat m", .place = {0x0102030405060708, 0x090a0b0c0d0e0f10, 0xff}, .parent = 7};
    one.kind = weft::span_kind::client;
    one.has_failed = true;
    one.start = 1'700'000'000'000'000'001;
    one.end = one.start + 1;
    one.say(span_key::provider, "openai").say(span_key::error_type, "timeout").count(span_key::input_tokens, 3);
    one.links = {{1, 2, 3}};
    return {one};
}

BOOST_AUTO_TEST_CASE(ids_are_hexadecimal_and_long_numbers_texts_in_json)
{
    weft::otlp_resource by;
    by.attributes = {{"service.name", "s"}};
    by.dialect = span_dialect::v1_36;
    BOOST_TEST(
        otlp_json(one_span(), by) ==
        R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},)"
        R"("scopeSpans":[{"scope":{"name":"weft"},"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10",)"
        R"("spanId":"00000000000000ff","parentSpanId":"0000000000000007","name":"chat m","kind":3,)"
        R"("startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002","attributes":[)"
        R"({"key":"gen_ai.system","value":{"stringValue":"openai"}},)"
        R"({"key":"error.type","value":{"stringValue":"timeout"}},)"
        R"({"key":"gen_ai.usage.input_tokens","value":{"intValue":"3"}}],)"
        R"("links":[{"traceId":"00000000000000010000000000000002","spanId":"0000000000000003"}],)"
        R"("status":{"code":2,"message":"timeout"}}],"schemaUrl":"https://opentelemetry.io/schemas/1.36.0"}]}]})");
}

BOOST_AUTO_TEST_CASE(names_follow_the_dialect_and_what_has_none_is_left_out)
{
    BOOST_TEST(name_of(span_key::provider, span_dialect::v1_36) == "gen_ai.system");
    BOOST_TEST(name_of(span_key::provider, span_dialect::latest) == "gen_ai.provider.name");
    constexpr span_key written = span_key::cache_write_tokens;
    BOOST_TEST(name_of(written, span_dialect::v1_36) == "");
    BOOST_TEST(name_of(written, span_dialect::v1_41) == "gen_ai.usage.cache_creation.input_tokens");
    BOOST_TEST(name_of(written, span_dialect::latest) == "gen_ai.usage.cache_write.input_tokens");
    weft::otlp_resource by;
    by.dialect = span_dialect::v1_36;
    std::vector<weft::span> spans = one_span();
    spans.front().count(span_key::cache_write_tokens, 5);
    BOOST_TEST(otlp_json(spans, by) == otlp_json(one_span(), by));
    BOOST_TEST(otlp_protobuf(spans, by) == otlp_protobuf(one_span(), by));
}

BOOST_AUTO_TEST_CASE(what_a_receiver_refused_is_read)
{
    const weft::otlp_rejection told =
        weft::otlp_rejection_in(R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}})", true);
    BOOST_TEST(told.spans == 2);
    BOOST_TEST(told.message == "too old");
    BOOST_TEST(weft::otlp_rejection_in(R"({"partialSuccess":{"rejectedSpans":2}})", true).spans == 2);
    const std::string bytes{"\x0a\x07\x08\x02\x12\x03old", 9};
    BOOST_TEST(weft::otlp_rejection_in(bytes, false).spans == 2);
    BOOST_TEST(weft::otlp_rejection_in(bytes, false).message == "old");
    for (const char* const nothing : {"", "{}", "[]", "{\"partialSuccess\":null}", "\xff\xff\xff", "{"}) {
        BOOST_TEST(weft::otlp_rejection_in(nothing, true).spans == 0);
        BOOST_TEST(weft::otlp_rejection_in(nothing, false).spans == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
