#include <weft/base/error.hpp>

#include <boost/asio/error.hpp>
#include <boost/core/demangle.hpp>
#include <boost/system/system_error.hpp>

#include <cxxabi.h>

#include <typeinfo>
#include <utility>

namespace weft {

namespace {

std::string compose(errc code, const std::string& where, const std::string& detail)
{
    std::string text;
    if (!where.empty()) text.append(where).append(": ");
    text.append(describe(code));
    if (!detail.empty()) text.append(": ").append(detail);
    return text;
}

}  // namespace

error::error(errc code, std::string where, std::string detail)
    : code_{code}, where_{std::move(where)}, detail_{std::move(detail)}, what_{compose(code_, where_, detail_)}
{
}

errc code_of(const std::exception_ptr& cause) noexcept
{
    if (!cause) return errc::node_failed;
    try {
        std::rethrow_exception(cause);
    } catch (const error& e) {
        return e.code();
    } catch (const boost::system::system_error& e) {
        return e.code() == boost::asio::error::operation_aborted ? errc::cancelled : errc::node_failed;
    } catch (...) {
        return errc::node_failed;
    }
}

std::string text_of(const std::exception_ptr& cause)
{
    if (!cause) return "no exception";
    try {
        std::rethrow_exception(cause);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "unknown exception";
    }
}

namespace {

/** In a catch block: the type of what was caught. */
std::string type_caught()
{
    const std::type_info* const type = abi::__cxa_current_exception_type();
    return type ? boost::core::demangle(type->name()) : "foreign exception";
}

}  // namespace

std::string typed_text_of(const std::exception_ptr& cause)
{
    if (!cause) return "no exception";
    try {
        std::rethrow_exception(cause);
    } catch (const error& e) {
        return e.what();
    } catch (const std::exception& e) {
        return type_caught() + ": " + e.what();
    } catch (...) {
        return "an exception of type " + type_caught();
    }
}

}  // namespace weft
