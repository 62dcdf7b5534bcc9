#include "failure_record.hpp"

#include "engine/value/checkpoint_format.hpp"

#include <weft/base/error.hpp>
#include <weft/base/memory/record_writer.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

void write_cause(record_writer& to, const std::exception_ptr& cause)
{
    if (!cause) return to.byte(cause_none);
    try {
        std::rethrow_exception(cause);
    } catch (const error& e) {
        to.byte(cause_error);
        to.text(name_of(e.code()));
        to.text(e.where());
        to.text(e.detail());
    } catch (...) {
        to.byte(cause_text);
        to.text(text_of(cause));
    }
}

/** The code of a name; that of an unknown error for a name of another version. */
errc code_named(std::string_view name) noexcept
{
    for (int code = 1; name_of(static_cast<errc>(code)) != name_of(static_cast<errc>(0)); ++code)
        if (name_of(static_cast<errc>(code)) == name) return static_cast<errc>(code);
    return errc::node_failed;
}

std::exception_ptr read_cause(record_reader& from)
{
    switch (from.number_up_to(cause_error, "the kind of an exception")) {
    case cause_text: return std::make_exception_ptr(std::runtime_error{std::string{from.text()}});
    case cause_error: {
        const errc code = code_named(from.text());
        std::string where{from.text()};
        return std::make_exception_ptr(error{code, std::move(where), std::string{from.text()}});
    }
    default: return nullptr;
    }
}

}  // namespace

std::string bytes_of(const weft::failure& what)
{
    record_writer to;
    to.text(name_of(what.code));
    to.text(what.node);
    to.number(what.visit);
    to.number(what.attempt);
    to.text(what.message);
    write_cause(to, what.cause);
    return to.take();
}

failure_ptr read_failure(record_reader from)
{
    weft::failure result;
    result.code = code_named(from.text());
    result.node = from.text();
    result.visit = from.number32("a visit");
    result.attempt = from.number32("an attempt");
    result.message = from.text();
    result.cause = read_cause(from);
    from.require_end();
    return std::make_shared<const weft::failure>(std::move(result));
}

}  // namespace weft::checkpoint_detail
