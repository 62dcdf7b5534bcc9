#pragma once

#include <weft/testing/endpoint/scripted_endpoint_options.hpp>

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace weft::testing {

/** What an endpoint shows of itself, and the root that its clients are told to trust. */
struct scripted_endpoint_tls {
    explicit scripted_endpoint_tls(const scripted_endpoint_options& options);

    std::string ca_pem;
    boost::asio::ssl::context context;
};

}  // namespace weft::testing
